/* Names of addresses and times as text. */
#ifndef DECODE_CLI_TEXT_NAME_TEXT_H
#define DECODE_CLI_TEXT_NAME_TEXT_H

#include <stdint.h>

#include "decode/query/indexed_capture.h"

/* Format "symbol+0x1f [object]"; an empty text if no name is known. Returns text. */
#define NAME_TEXT_SIZE 256u
const char *name_text(char text[NAME_TEXT_SIZE], const struct name *name, uint64_t address);

/* Format "12.345678 s", or "-" if the time is unknown. Returns text. */
#define TIME_TEXT_SIZE 32u
const char *time_text(char text[TIME_TEXT_SIZE], const struct indexed_capture *indexed, uint64_t tsc);

#endif
