/* meta.json: what RECORD_HELLO says, as JSON. */
#ifndef DECODE_STORE_META_H
#define DECODE_STORE_META_H

#include <stdbool.h>

#include "decode/text.h"

/* Write meta.json into the open directory, in one step (a temporary file, renamed). false: said why. */
bool store_meta_write(int directory, const char *directory_name, struct text hello);

#endif
