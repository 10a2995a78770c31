/* The journal: whatever part of a state was written, the one before is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fcntl.h>

#include <cmocka.h>

#include "decode/receive/journal.h"
#include "tests/unit/decode/capture/capture_fixture.h"

#define STATE_BYTES 10000u

static int open_directory(const struct capture_fixture *f)
{
    const int fd = open(f->directory, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    return fd;
}

static bool write_state(struct journal *journal, uint8_t value, size_t size)
{
    static uint64_t bytes[(sizeof(struct journal_header) + STATE_BYTES) / 8];
    memset(bytes, value, sizeof(bytes));
    return journal_write(journal, (struct journal_header *)(void *)bytes, size);
}

/* The first byte of the newest state; -1: there is none, -2: nor was there ever one. */
static int read_state(int directory, size_t should_be)
{
    struct journal journal;
    size_t size = 0;
    bool is_empty;
    assert_true(journal_open(&journal, directory));
    uint8_t *state = journal_read(&journal, &size, &is_empty);
    const int value = state ? state[0] : is_empty ? -2 : -1;
    if (state)
        assert_int_equal(size, should_be);
    free(state);
    journal_close(&journal);
    return value;
}

static void the_newest_is_read(void **state)
{
    const int directory = open_directory(*state);
    struct journal journal;
    assert_false(journal_exists(directory));
    assert_true(journal_create(&journal, directory));
    assert_true(journal_exists(directory));
    assert_int_equal(read_state(directory, 0), -2);
    for (unsigned i = 1; i <= 9; i++) {
        assert_true(write_state(&journal, (uint8_t)i, i % 2 ? 100 : STATE_BYTES));
        assert_int_equal(read_state(directory, i % 2 ? 100 : STATE_BYTES), i);
    }
    assert_true(journal_clear(&journal));
    assert_int_equal(read_state(directory, 0), -2);
    journal_remove(&journal);
    journal_close(&journal);
    assert_false(journal_exists(directory));
    close(directory);
}

/* A state that was written to its first `part` bytes: the file's other bytes are those of an older one. */
static void an_unfinished_one_does_not_count(void **state)
{
    const struct capture_fixture *f = *state;
    const int directory = open_directory(f);
    static uint8_t older[sizeof(struct journal_header) + 500], newer[sizeof(older)];
    char name[JOURNAL_NAME_MAX];
    for (size_t part = 0; part < sizeof(newer); part += 7) {
        struct journal journal;
        assert_true(journal_create(&journal, directory));
        for (uint8_t i = 1; i <= 3; i++)
            assert_true(write_state(&journal, i, 500));
        const int fd = openat(directory, journal_name(name, 0), O_RDWR); /* of states 2 and 4 */
        assert_int_equal(pread(fd, older, sizeof(older), 0), sizeof(older));
        assert_true(write_state(&journal, 4, 500));
        assert_int_equal(pread(fd, newer, sizeof(newer), 0), sizeof(newer));
        memcpy(older, newer, part);
        assert_int_equal(pwrite(fd, older, sizeof(older), 0), sizeof(older));
        assert_int_equal(read_state(directory, 500), 3);
        close(fd);
        journal_close(&journal);
    }
    close(directory);
}

static void damaged_files_are_not_empty_ones(void **state)
{
    const int directory = open_directory(*state);
    struct journal journal;
    char name[JOURNAL_NAME_MAX];
    assert_true(journal_create(&journal, directory));
    assert_true(write_state(&journal, 1, 100));
    const int fd = openat(directory, journal_name(name, 1), O_RDWR);
    assert_int_equal(pwrite(fd, "x", 1, 60), 1);
    close(fd);
    assert_int_equal(read_state(directory, 0), -2); /* it may be unfinished: nothing has followed it */
    assert_true(write_state(&journal, 2, 100));
    assert_true(write_state(&journal, 3, 100));
    for (unsigned i = 0; i < JOURNAL_FILES; i++) {
        const int file = openat(directory, journal_name(name, i), O_RDWR);
        assert_int_equal(pwrite(file, "x", 1, 60), 1);
        close(file);
    }
    assert_int_equal(read_state(directory, 0), -1);
    journal_close(&journal);
    close(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(the_newest_is_read),
        CAPTURE_TEST(an_unfinished_one_does_not_count),
        CAPTURE_TEST(damaged_files_are_not_empty_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
