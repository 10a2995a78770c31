/* A temporary directory with a small capture, for the tests of the receiver and of captures. */
#ifndef TESTS_UNIT_DECODE_CAPTURE_CAPTURE_FIXTURE_H
#define TESTS_UNIT_DECODE_CAPTURE_CAPTURE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/receive/store.h"

#define HELLO "cpu_family 6\noptions a \"b\"\n"

struct capture_fixture {
    char directory[64], capture[80]; /* capture does not exist yet */
    struct error error;
};

int capture_setup(void **state);
int capture_teardown(void **state); /* removes the directory */
#define CAPTURE_TEST(name) cmocka_unit_test_setup_teardown(name, capture_setup, capture_teardown)

/* Add a record of a CPU at *offset of its record stream; *offset advances. */
void put_record(struct store *store, uint16_t cpu, uint64_t *offset, enum record_kind kind, uint64_t trace_offset,
                const void *payload, uint32_t size);

/* The path of a file of the capture. */
const char *capture_path(char path[128], const struct capture_fixture *f, const char *name);

#endif
