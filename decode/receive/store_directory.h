/* The directory of a new capture. */
#ifndef DECODE_STORE_DIRECTORY_H
#define DECODE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "decode/capture/error.h"

/* Make the directory, or use an existing empty one (then *made is false). Returns its descriptor; -1: error says why.
 */
int store_directory_open(const char *directory, bool *made, struct error *error);

#endif
