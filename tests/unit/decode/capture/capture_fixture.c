/* A directory and a small capture in it; see capture_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/capture/capture_fixture.h"

int capture_setup(void **state)
{
    struct capture_fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    strcpy(f->directory, "/tmp/undertrace-test-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    snprintf(f->capture, sizeof(f->capture), "%s/capture", f->directory);
    *state = f;
    return 0;
}

int capture_teardown(void **state)
{
    struct capture_fixture *f = *state;
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", f->directory);
    free(f);
    return system(command);
}

void put_record(struct store *store, uint16_t cpu, uint64_t *offset, enum record_kind kind, uint64_t trace_offset,
                const void *payload, uint32_t size)
{
    uint8_t bytes[8192] = {0};
    struct record_header header = {.kind = (uint16_t)kind, .cpu = cpu, .length = size, .trace_offset = trace_offset};
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + sizeof(header), payload, size);
    size_t total = sizeof(header) + ((size + 7u) & ~7u);
    assert_true(store_records(store, cpu, *offset, bytes, total));
    *offset += total;
}

const char *capture_path(char path[128], const struct capture_fixture *f, const char *name)
{
    snprintf(path, 128, "%s/%s", f->capture, name);
    return path;
}
