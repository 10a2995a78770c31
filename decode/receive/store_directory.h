/* The directory of a new capture. */
#ifndef DECODE_STORE_DIRECTORY_H
#define DECODE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "decode/capture/error.h"

/* Make it, or take it where it is there and empty (*made is false then). Returns it open; -1: error says why. */
int store_directory_open(const char *directory, bool *made, struct error *error);

#endif
