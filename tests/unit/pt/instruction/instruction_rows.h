/* Tests of pt/instruction/instruction.h as rows: bytes, and what they are. */
#ifndef TESTS_UNIT_PT_INSTRUCTION_ROWS_H
#define TESTS_UNIT_PT_INSTRUCTION_ROWS_H

#include "pt/instruction/instruction.h"
#include <stddef.h>

enum { M16 = INSTRUCTION_16, M32 = INSTRUCTION_32, M64 = INSTRUCTION_64 };

/* The literal is the whole instruction: its length is the expected one. */
struct row {
    enum instruction_mode mode;
    const char *bytes;
    uint8_t length;
    enum instruction_kind kind;
    int32_t displacement;
    uint8_t ip_bytes; /* 0: not a near branch */
};
#define ROW(mode, literal, kind)                                                                                       \
    {                                                                                                                  \
        (enum instruction_mode)(mode), literal, sizeof(literal) - 1, kind, 0, 0                                        \
    }
#define PLAIN(mode, literal) ROW(mode, literal, INSTRUCTION_PLAIN)
#define NEAR(mode, literal, kind, displacement, ip_bytes)                                                              \
    {                                                                                                                  \
        (enum instruction_mode)(mode), literal, sizeof(literal) - 1, kind, displacement, ip_bytes                      \
    }

/* nr bytes followed by fillers, room bytes in all. */
enum instruction_result decode_filled(struct instruction *instruction, enum instruction_mode mode, const char *bytes,
                                      uint32_t nr, uint32_t room, int filler);

/* Each row decodes the same whatever follows it, and is INSTRUCTION_SHORT if a byte or more is missing. */
void check_rows(const struct row *rows, size_t nr);
#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

/* Refused, with nr of these bytes and with more. */
void check_refused(enum instruction_mode mode, const char *bytes, uint32_t nr);
#define CHECK_REFUSED(mode, literal) check_refused((enum instruction_mode)(mode), literal, sizeof(literal) - 1)

#endif
