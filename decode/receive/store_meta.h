/* meta.json: RECORD_HELLO as JSON, and RECORD_END of each CPU after all were received. */
#ifndef DECODE_STORE_META_H
#define DECODE_STORE_META_H

#include <stdbool.h>

#include "decode/capture/text.h"
#include "decode/receive/store_file.h"

/* Write meta.json into the directory of checksums: first append its checksum, then rename a temporary file, so that it
 * is replaced atomically. nr_ends: how many ends there are, 0: not all were received. false: the error of checksums
 * says why. */
bool store_meta_write(struct store_file *checksums, struct record_text hello, const struct record_text *ends,
                      unsigned nr_ends);

#endif
