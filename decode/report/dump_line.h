/*
 * A packet as a line of text, in the dialect of libipt's ptdump, so that the output of both can be compared. Pure.
 */
#ifndef DECODE_DUMP_LINE_H
#define DECODE_DUMP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/packet/packet.h"

#define DUMP_LINE_MAX 192u

/* Write the line, with its end and a NUL, for the packet at the trace offset. Returns its length without the NUL. */
size_t dump_line(char *line, uint64_t offset, const struct packet *packet);

/* Columns that are options of ptdump. */
struct dump_style {
    bool no_offset, last_ip, exec_mode;
    const uint8_t *raw;       /* the packet's bytes; NULL: not printed */
    uint64_t ip;              /* the last IP, kept from line to line */
    const char *name, *value; /* additional column for this packet; NULL: nothing */
};
size_t dump_line_as(char *line, uint64_t offset, const struct packet *packet, struct dump_style *style);

#endif
