/* See names_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/decode/names/names_fixture.h"

#define MAX_RECORDS 128u

static struct {
    struct capture capture;
    struct capture_record records[MAX_RECORDS];
    struct code_pages pages;
    struct names *names;
    char directory[64], path[256];
    uint64_t number;
} made;

int names_setup(void **state)
{
    (void)state;
    memset(&made, 0, sizeof(made));
    made.capture.directory = made.directory;
    made.capture.records = made.records;
    made.capture.nr_cpus = 1;
    strcpy(made.directory, "/tmp/undertrace-test-XXXXXX");
    assert_non_null(mkdtemp(made.directory));
    return 0;
}

int names_teardown(void **state)
{
    char command[96];
    (void)state;
    if (made.names) {
        names_close(made.names);
        code_pages_free(&made.pages);
    }
    for (size_t i = 0; i < made.capture.nr_records; i++)
        free((void *)made.records[i].payload);
    snprintf(command, sizeof(command), "rm -rf %s", made.directory);
    return system(command);
}

static uint8_t *put_record(uint64_t offset, enum record_kind kind, size_t size)
{
    struct capture_record *record = &made.records[made.capture.nr_records++];
    assert_true(made.capture.nr_records <= MAX_RECORDS);
    uint8_t *payload = calloc(1, size);
    assert_non_null(payload);
    *record = (struct capture_record){
        .header = {.kind = (uint16_t)kind, .length = (uint32_t)size, .trace_offset = offset, .tsc = offset},
        .payload = payload};
    return payload;
}

void put_code(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa, const void *bytes, size_t size)
{
    const struct record_page page = {
        .gpa = gpa, .gva = gva, .cr3 = cr3, .mode = 64, .size = RECORD_PAGE_SIZE, .number = ++made.number};
    uint8_t *payload = put_record(offset, RECORD_PAGE, sizeof(page) + RECORD_PAGE_SIZE);
    memcpy(payload, &page, sizeof(page));
    memcpy(payload + sizeof(page), bytes, size < RECORD_PAGE_SIZE ? size : RECORD_PAGE_SIZE);
}

void put_mapping(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa)
{
    const struct record_map map = {.cr3 = cr3,
                                   .linear = gva,
                                   .size = RECORD_PAGE_SIZE,
                                   .fault_offset = offset,
                                   .number = ++made.number,
                                   .runs = 1};
    const struct record_map_run run = {
        .linear = gva, .gpa = gpa, .pages = 1, .flags = RECORD_MAP_USER, .page_shift = 12};
    uint8_t *payload = put_record(offset, RECORD_MAP, sizeof(map) + sizeof(run));
    memcpy(payload, &map, sizeof(map));
    memcpy(payload + sizeof(map), &run, sizeof(run));
}

void put_task(uint64_t offset, uint64_t cr3, uint32_t pid, const char *comm)
{
    struct record_task task = {.cr3 = cr3, .pid = pid, .tgid = pid};
    snprintf(task.comm, sizeof(task.comm), "%s", comm);
    memcpy(put_record(offset, RECORD_TASK, sizeof(task)), &task, sizeof(task));
}

const char *names_directory(void)
{
    return made.directory;
}

const char *put_file(const char *name, const void *bytes, size_t size)
{
    snprintf(made.path, sizeof(made.path), "%s/%s", made.directory, name);
    for (char *slash = made.path + strlen(made.directory) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(made.path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(made.path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return made.path;
}

struct names *open_made(const char *kernel, const char *symbols, bool with_files)
{
    char kernel_path[128], symbols_path[128];
    const char *const files[] = {made.directory};
    struct error error = {0};
    snprintf(kernel_path, sizeof(kernel_path), "%s/%s", made.directory, kernel ? kernel : "");
    snprintf(symbols_path, sizeof(symbols_path), "%s/%s", made.directory, symbols ? symbols : "");
    const struct names_options options = {.kernel = kernel ? kernel_path : NULL,
                                          .symbols = symbols ? symbols_path : NULL,
                                          .files = files,
                                          .nr_files = with_files ? 1 : 0};
    made.names = names_open(&made.capture, &options, &error);
    if (!made.names)
        fail_msg("names_open: %s", error.name);
    assert_true(code_pages_collect(&made.pages, &made.capture, 0, &error));
    return made.names;
}

const struct code_pages *made_pages(void)
{
    return &made.pages;
}

struct capture *made_capture(void)
{
    return &made.capture;
}

static bool same(const char *is, const char *should)
{
    return should ? is && !strcmp(is, should) : !is;
}

void named(struct names *names, uint64_t cr3, uint64_t at, uint64_t address, const char *symbol, const char *object,
           uint64_t begin)
{
    const struct name *name = names_find(names, &made.pages, cr3, at, address);
    assert_non_null(name);
    if (!same(name->symbol, symbol) || !same(name->object, object) || name->begin != begin || name->end <= address)
        fail_msg("%#lx at %lu: is %s of %s, %#lx to %#lx, should be %s of %s at %#lx", address, at,
                 name->symbol ? name->symbol : "-", name->object ? name->object : "-", name->begin, name->end,
                 symbol ? symbol : "-", object ? object : "-", begin);
    assert_ptr_equal(names_find(names, &made.pages, cr3, at, address), name);
    assert_true(name->number < names_count(names));
    assert_ptr_equal(names_by_number(names, name->number), name);
}

void has_line(const struct names *names, const char *text)
{
    const char *line;
    for (size_t i = 0; (line = names_about(names, i)); i++)
        if (strstr(line, text))
            return;
    fail_msg("no line has: %s; the first is: %s", text, names_about(names, 0) ? names_about(names, 0) : "(none)");
}
