/* meta.json: what RECORD_HELLO says, and RECORD_END of each CPU when all have come, as JSON. */
#ifndef DECODE_STORE_META_H
#define DECODE_STORE_META_H

#include <stdbool.h>

#include "decode/capture/text.h"
#include "decode/receive/store_file.h"

/* nr_ends: of how many CPUs the end is given, 0: they have not all come. Write meta.json beside the file of checksums,
 * in one step (a temporary file, renamed), behind its checksum. false: the error of checksums says why. */
bool store_meta_write(struct store_file *checksums, struct record_text hello, const struct record_text *ends,
                      unsigned nr_ends);

#endif
