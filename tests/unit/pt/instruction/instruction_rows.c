/* Tests of pt/instruction/instruction.h as rows. */
#include "tests/unit/pt/instruction/instruction_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that the sanitizer sees a byte too many being read. */
enum instruction_result decode_filled(struct instruction *instruction, enum instruction_mode mode, const char *bytes,
                                      uint32_t nr, uint32_t room, int filler)
{
    uint8_t *block = malloc(room + 1);
    assert_non_null(block);
    memset(block, filler, room + 1);
    memcpy(block + 1, bytes, nr < room ? nr : room);
    enum instruction_result result = instruction_decode(instruction, block + 1, room, mode);
    free(block);
    return result;
}

static void check_row(const struct row *row)
{
    static const int fillers[] = {0x00, 0xFF, 0x24, 0x05, 0x66, 0xC5};
    struct instruction ours;
    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
        for (uint32_t room = row->length; room <= 20; room++) {
            memset(&ours, 0xAA, sizeof(ours));
            enum instruction_result result = decode_filled(&ours, row->mode, row->bytes, row->length, room, fillers[i]);
            assert_int_equal(result, INSTRUCTION_DECODED);
            assert_int_equal(ours.length, row->length);
            assert_int_equal(ours.kind, row->kind);
            assert_int_equal(ours.displacement, row->displacement);
            if (row->ip_bytes)
                assert_int_equal(ours.ip_bytes, row->ip_bytes);
        }
    }
    for (uint32_t nr = 0; nr < row->length; nr++)
        assert_int_equal(decode_filled(&ours, row->mode, row->bytes, nr, nr, 0), INSTRUCTION_SHORT);
}

void check_rows(const struct row *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        fprintf(stderr, "row %zu\n", i); /* the last one is the one that fails */
        check_row(&rows[i]);
    }
}

void check_refused(enum instruction_mode mode, const char *bytes, uint32_t nr)
{
    struct instruction ours = {.length = 99};
    for (uint32_t room = nr; room <= 20; room++)
        assert_int_equal(decode_filled(&ours, mode, bytes, nr, room, 0), INSTRUCTION_INVALID);
    assert_int_equal(ours.length, 99);
}
