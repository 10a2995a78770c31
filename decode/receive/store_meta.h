/* meta.json: what RECORD_HELLO says, and RECORD_END of each CPU when all have come, as JSON. */
#ifndef DECODE_STORE_META_H
#define DECODE_STORE_META_H

#include <stdbool.h>

#include "decode/capture/error.h"
#include "decode/capture/text.h"

/* nr_ends: of how many CPUs the end is given, 0: they have not all come. Write meta.json into the open directory, in
 * one step (a temporary file, renamed). false: error says why. */
bool store_meta_write(int directory, const char *directory_name, struct record_text hello,
                      const struct record_text *ends, unsigned nr_ends, struct error *error);

#endif
