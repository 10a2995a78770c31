/* A made-up capture for the tests of names, and a directory for the files that have them. */
#ifndef TESTS_UNIT_DECODE_NAMES_NAMES_FIXTURE_H
#define TESTS_UNIT_DECODE_NAMES_NAMES_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/names/names.h"

#define SPACE_A 0x10000ull
#define SPACE_B 0x20000ull

int names_setup(void **state);
int names_teardown(void **state);
#define NAMES_TEST(name) cmocka_unit_test_setup_teardown(name, names_setup, names_teardown)

/* A page of these bytes (size of them, then zeros) is executed at gva of a space from a trace offset on. */
void put_code(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa, const void *bytes, size_t size);

/* A page that a space has mapped, which another one has executed. */
void put_mapping(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa);

/* A process is told of a space. */
void put_task(uint64_t offset, uint64_t cr3, uint32_t pid, const char *comm);

/* Write a file below the fixture's directory; returns its path, which is good until the next call. */
const char *put_file(const char *name, const void *bytes, size_t size);
const char *names_directory(void);

/* All is put. kernel: a file's name there or NULL; with_files: all of the directory. */
struct names *open_made(const char *kernel, const char *symbols, bool with_files);
const struct code_pages *made_pages(void);

/* What stands there must be this; NULL: must be unknown. */
void named(struct names *names, uint64_t cr3, uint64_t at, uint64_t address, const char *symbol, const char *object,
           uint64_t begin);

/* Some line that names_about tells has this text. */
void tells(const struct names *names, const char *text);

#endif
