/* meta.json: what RECORD_HELLO says, and RECORD_END when it has come, as JSON. */
#ifndef DECODE_STORE_META_H
#define DECODE_STORE_META_H

#include <stdbool.h>

#include "decode/capture/error.h"
#include "decode/capture/text.h"

/* end.size 0: it has not come. Write meta.json into the open directory, in one step (a temporary file, renamed). false:
 * error says why. */
bool store_meta_write(int directory, const char *directory_name, struct record_text hello, struct record_text end,
                      struct error *error);

#endif
