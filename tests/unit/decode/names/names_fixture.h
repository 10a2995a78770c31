/* A synthetic capture for the tests of names, and a temporary directory for the files that the names come from. */
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

/* Add a page of code: these bytes, filled up with zeros, are mapped at gva of a space from a trace offset on. */
void put_code(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa, const void *bytes, size_t size);

/* Add a MAP record: a space maps the page that another space has executed. */
void put_mapping(uint64_t offset, uint64_t cr3, uint64_t gva, uint64_t gpa);

/* Add a TASK record. */
void put_task(uint64_t offset, uint64_t cr3, uint32_t pid, const char *comm);

/* Write a file in the temporary directory. The returned path is valid until the next call. */
const char *put_file(const char *name, const void *bytes, size_t size);
const char *names_directory(void);

/* Open the names of the capture. kernel, symbols: names of files in the directory, or NULL; with_files: also read all
 * its files. */
struct names *open_made(const char *kernel, const char *symbols, bool with_files);
const struct code_pages *made_pages(void);

/* The capture, whose directory is the temporary one. */
struct capture *made_capture(void);

/* Check the name at an address. symbol, object NULL: it must be unknown. */
void named(struct names *names, uint64_t cr3, uint64_t at, uint64_t address, const char *symbol, const char *object,
           uint64_t begin);

/* Check that a line of names_about contains this text. */
void has_line(const struct names *names, const char *text);

#endif
