#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define UNDERTRACE_VERSION "0.1"

#endif
