/* Synthetic programs for the tests of names: a file with code, a PLT and symbols, or its debug file, and captured pages
 * of it. */
#ifndef TESTS_UNIT_DECODE_NAMES_PROGRAM_FIXTURE_H
#define TESTS_UNIT_DECODE_NAMES_PROGRAM_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE 4096u
#define LINKED 0x2000ull /* the linked address of the code */
#define PLT 0x6000ull
#define GOT 0x7000ull
#define TEXT_SIZE (3 * PAGE)
#define PLT_SIZE 64u

/* What the file contains. */
struct program {
    const char *path;
    uint64_t seed;
    bool narrow, dynamic_only, runs, has_id, same_second_page, has_frames;
    const char *link;   /* .gnu_debuglink, */
    const uint8_t *crc; /* and its CRC of four bytes; NULL: one that matches no file */
    const char *prefix;
};

void put_program(const struct program *program);

/* Write the debug file of a program: its symbols without its code. Returns its path, as put_file. */
const char *put_debug(const struct program *program, const char *path);

/* Add a page of its code, executed by a space. */
void run_program(uint64_t offset, const struct program *program, uint64_t cr3, uint64_t base, unsigned page);

/* The programs' PLT of PLT_SIZE bytes, valid until the next call: a header, then entries that jump through GOT slots 3
 * and 4, those of puts and exit. */
const uint8_t *program_plt(bool narrow);

#endif
