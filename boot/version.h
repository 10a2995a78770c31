#ifndef BOOT_VERSION_H
#define BOOT_VERSION_H

#define UNDERTRACE_VERSION "0.1"

#endif
