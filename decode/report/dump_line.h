/*
 * A packet as a line of text: trace offset, name, payload, in the columns of libipt's ptdump. Pure.
 */
#ifndef DECODE_DUMP_LINE_H
#define DECODE_DUMP_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "pt/packet/packet.h"

#define DUMP_LINE_MAX 192u

/* Write the line, with its end and a NUL, for the packet at the trace offset. Returns its length without the NUL. */
size_t dump_line(char *line, uint64_t offset, const struct packet *packet);

#endif
