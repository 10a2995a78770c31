/* Commands: building and accepting frames, repeated and bad frames, and frames in the bytes of a serial line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/command.h"
#include "serial/wire/crc32c.h"

#define STREAM 0x1234abcdu

static size_t build(uint8_t *bytes, uint32_t stream, uint32_t number, const char *text)
{
    struct command command = {.number = number, .opcode = COMMAND_SET};
    strcpy(command.text, text);
    return command_build(bytes, stream, &command);
}

/* Execute commands like a CPU; it is the only one. */
static bool next(struct command_box *box, struct command *command)
{
    if (command_at(box, box->done, command) != COMMAND_FOUND)
        return false;
    command_done(box, box->done + 1);
    return true;
}

/* Accept a frame, like the sinks. */
static bool take(struct command_box *box, const uint8_t *bytes, size_t size)
{
    struct frame_header header;
    if (frame_header_parse(&header, bytes, size) != FRAME_OK)
        return false;
    return command_take(box, STREAM, &header, bytes + FRAME_HEADER_SIZE);
}

static void what_is_built_is_taken(void **state)
{
    struct command_box box = {0};
    struct command command;
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    size_t size = build(bytes, STREAM, 1, "policy=drop");
    assert_int_equal(size, FRAME_HEADER_SIZE + 8 + 11);
    assert_false(next(&box, &command));
    assert_true(take(&box, bytes, size));
    assert_true(next(&box, &command));
    assert_int_equal(command.number, 1);
    assert_int_equal(command.opcode, COMMAND_SET);
    assert_string_equal(command.text, "policy=drop");
    assert_false(next(&box, &command));
    assert_int_equal(box.taken, 1);
}

static void the_longest_text_and_no_longer(void **state)
{
    struct command_box box = {0};
    struct command command = {.number = 1, .opcode = COMMAND_SET};
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    memset(command.text, 'x', COMMAND_TEXT_MAX);
    size_t size = command_build(bytes, STREAM, &command);
    assert_int_equal(size, COMMAND_FRAME_MAX);
    assert_true(take(&box, bytes, size));
    assert_true(next(&box, &command));
    assert_int_equal(strlen(command.text), COMMAND_TEXT_MAX);
}

static void every_damaged_bit_is_noticed(void **state)
{
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    size_t size = build(bytes, STREAM, 1, "pt.user=off");
    for (size_t bit = 0; bit < 8 * size; bit++) {
        struct command_box box = {0};
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(take(&box, bytes, size));
        assert_int_equal(box.tail, 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void forged_and_repeated_ones_are_counted(void **state)
{
    struct command_box box = {0};
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    assert_false(take(&box, bytes, build(bytes, STREAM ^ 1, 1, "")));
    assert_int_equal(box.bad, 1);
    assert_true(take(&box, bytes, build(bytes, STREAM, 5, "")));
    assert_false(take(&box, bytes, build(bytes, STREAM, 5, "")));
    assert_int_equal(box.repeated, 1);
    assert_false(take(&box, bytes, build(bytes, STREAM, 4, "")));
    assert_false(take(&box, bytes, build(bytes, STREAM, 0, "")));
    assert_int_equal(box.bad, 3);
    assert_int_equal(box.taken, 1);
    struct frame_header ack = {.kind = FRAME_TRACE, .stream_id = STREAM, .seq = 9};
    assert_false(command_take(&box, STREAM, &ack, bytes));
    assert_int_equal(box.bad, 4);
}

static void a_full_box_takes_no_more_and_goes_on(void **state)
{
    struct command_box box = {0};
    struct command command;
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    for (uint32_t i = 1; i <= COMMAND_BOX_SLOTS; i++)
        assert_true(take(&box, bytes, build(bytes, STREAM, i, "")));
    assert_false(take(&box, bytes, build(bytes, STREAM, 50, "")));
    assert_true(next(&box, &command));
    assert_true(take(&box, bytes, build(bytes, STREAM, 50, ""))); /* repeated, because there was no answer */
    for (uint32_t i = 2; i <= COMMAND_BOX_SLOTS; i++) {
        assert_true(next(&box, &command));
        assert_int_equal(command.number, i);
    }
    assert_true(next(&box, &command));
    assert_int_equal(command.number, 50);
}

/* Each CPU has a cursor. A CPU that lags does not block the box for the others, and learns that it has missed commands.
 */
static void every_cpu_has_its_cursor(void **state)
{
    struct command_box box = {0};
    struct command command;
    uint8_t bytes[COMMAND_FRAME_MAX];
    uint32_t ahead = 0, late = 0, asleep = 0;
    (void)state;
    for (uint32_t i = 1; i <= 3; i++)
        assert_true(take(&box, bytes, build(bytes, STREAM, i, "")));
    for (; ahead < 3; command_done(&box, ++ahead))
        assert_int_equal(command_at(&box, ahead, &command), COMMAND_FOUND);
    assert_false(command_waits(&box, ahead));
    assert_true(command_waits(&box, late));
    assert_int_equal(command_at(&box, late, &command), COMMAND_FOUND);
    assert_int_equal(command.number, 1);
    command_done(&box, ++late); /* less than ahead: makes no room */
    assert_int_equal(box.done, 3);

    /* The room depends on the CPU that has executed most. */
    for (uint32_t i = 4; i <= 7; i++)
        assert_true(take(&box, bytes, build(bytes, STREAM, i, "")));
    assert_false(take(&box, bytes, build(bytes, STREAM, 8, "")));
    assert_int_equal(command_at(&box, ahead, &command), COMMAND_FOUND);
    assert_int_equal(command.number, 4);
    assert_int_equal(command_at(&box, late, &command), COMMAND_MISSED);
    assert_int_equal(command_at(&box, asleep, &command), COMMAND_MISSED);
    assert_int_equal(command_at(&box, box.done, &command),
                     COMMAND_FOUND); /* another CPU has executed the missed ones */
    assert_int_equal(command_at(&box, 7, &command), COMMAND_NONE);
}

static void cursors_wrap(void **state)
{
    struct command_box box = {.tail = ~0u - 1, .done = ~0u - 1};
    struct command command;
    uint8_t bytes[COMMAND_FRAME_MAX];
    (void)state;
    for (uint32_t i = 1; i <= 20; i++) {
        assert_true(take(&box, bytes, build(bytes, STREAM, i, "")));
        assert_true(next(&box, &command));
        assert_int_equal(command.number, i);
    }
}

static void give(struct command_line *line, struct command_box *box, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        command_line_take(line, box, STREAM, bytes[i]);
}

static size_t build_for_line(uint8_t *bytes, uint32_t number, const char *text)
{
    size_t size = build(bytes, STREAM, number, text);
    uint32_t crc = crc32c(bytes + FRAME_HEADER_SIZE, size - FRAME_HEADER_SIZE);
    memcpy(bytes + size, &crc, sizeof(crc));
    return size + sizeof(crc);
}

static void a_line_finds_its_frames(void **state)
{
    static const uint8_t noise[] = {0, 0x55, 0x54, 0x46, 0x1a, 1, 2, 0xff, 0x55};
    struct command_box box = {0};
    struct command_line line = {0};
    struct command command;
    uint8_t bytes[COMMAND_FRAME_MAX + 4];
    (void)state;
    size_t size = build_for_line(bytes, 1, "policy=ring");
    give(&line, &box, noise, sizeof(noise));
    give(&line, &box, bytes, size);
    assert_true(next(&box, &command));
    assert_string_equal(command.text, "policy=ring");
    size = build_for_line(bytes, 2, "");
    give(&line, &box, bytes, size);
    assert_true(next(&box, &command));
    assert_int_equal(command.number, 2);
    assert_int_equal(line.used, 0);
}

/* Whichever byte is lost: its command is lost, the next one is not. */
static void a_line_that_lost_a_byte_recovers(void **state)
{
    uint8_t first[COMMAND_FRAME_MAX + 4], second[COMMAND_FRAME_MAX + 4];
    size_t first_size = build_for_line(first, 1, "policy=stall"), second_size = build_for_line(second, 2, "");
    (void)state;
    for (size_t lost = 0; lost < first_size; lost++) {
        struct command_box box = {0};
        struct command_line line = {0};
        struct command command;
        give(&line, &box, first, lost);
        give(&line, &box, first + lost + 1, first_size - lost - 1);
        give(&line, &box, second, second_size);
        give(&line, &box, second, second_size); /* repeated: its first bytes may have completed the broken frame */
        assert_true(next(&box, &command));
        assert_int_equal(command.number, 2);
        assert_false(next(&box, &command));
    }
}

/* A forged number far ahead must not lock others out: numbers wrap around. */
static void numbers_wrap(void **state)
{
    static const uint32_t numbers[] = {0x7fffffff, 0x80000000, 0xfffffffe, 2};
    (void)state;
    struct command_box box = {0};
    uint8_t bytes[COMMAND_FRAME_MAX];
    struct frame_header header;
    size_t size = build(bytes, STREAM, UINT32_MAX, "");
    assert_int_equal(frame_header_parse(&header, bytes, size), FRAME_OK);
    assert_false(command_take(&box, STREAM, &header, bytes + FRAME_HEADER_SIZE));
    for (size_t i = 0; i < 4; i++) {
        size = build(bytes, STREAM, numbers[i], "");
        assert_int_equal(frame_header_parse(&header, bytes, size), FRAME_OK);
        assert_true(command_take(&box, STREAM, &header, bytes + FRAME_HEADER_SIZE));
        assert_false(command_take(&box, STREAM, &header, bytes + FRAME_HEADER_SIZE));
    }
    assert_int_equal(box.bad, 1);
    assert_int_equal(box.repeated, 4);
}

static void words_and_numbers_agree(void **state)
{
    (void)state;
    for (unsigned i = COMMAND_STATUS; i <= COMMAND_SET; i++)
        assert_int_equal(command_opcode_of(command_name(i)), i);
    assert_int_equal(command_opcode_of("stat"), 0);
    assert_int_equal(command_opcode_of("statuses"), 0);
    assert_string_equal(command_name(77), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_is_taken),
        cmocka_unit_test(the_longest_text_and_no_longer),
        cmocka_unit_test(every_damaged_bit_is_noticed),
        cmocka_unit_test(forged_and_repeated_ones_are_counted),
        cmocka_unit_test(a_full_box_takes_no_more_and_goes_on),
        cmocka_unit_test(every_cpu_has_its_cursor),
        cmocka_unit_test(cursors_wrap),
        cmocka_unit_test(a_line_finds_its_frames),
        cmocka_unit_test(a_line_that_lost_a_byte_recovers),
        cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(words_and_numbers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
