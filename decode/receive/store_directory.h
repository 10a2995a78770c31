/* The directory of a new capture, or of one that is not finished. */
#ifndef DECODE_STORE_DIRECTORY_H
#define DECODE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "decode/capture/error.h"

/* Make the directory, or open an empty one. *made: it did not exist. Returns its file descriptor; -1: error says why.
 * While it is open, no other receiver can open the directory. */
int store_directory_make(const char *directory, bool *made, struct error *error);

/* Open a directory, whatever it has. */
int store_directory_open(const char *directory, struct error *error);

#endif
