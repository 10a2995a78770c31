/* Programs that tests of names make up: a file with code, a PLT and symbols, or its debug file; and that it was
 * executed. */
#ifndef TESTS_UNIT_DECODE_NAMES_PROGRAM_FIXTURE_H
#define TESTS_UNIT_DECODE_NAMES_PROGRAM_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE 4096u
#define LINKED 0x2000ull /* where files have their code */
#define PLT 0x6000ull
#define GOT 0x7000ull
#define TEXT_SIZE (3 * PAGE)
#define PLT_SIZE 64u

/* What a made file has. */
struct program {
    const char *path;
    uint64_t seed;
    bool narrow, dynamic_only, runs, has_id, same_second_page, has_frames;
    const char *link;   /* .gnu_debuglink, */
    const uint8_t *crc; /* and its last four bytes; NULL: those of no file */
    const char *prefix;
};

void put_program(const struct program *program);

/* The debug file of a program: its symbols, and none of its code. Returns its path, as put_file. */
const char *put_debug(const struct program *program, const char *path);

/* A space executes a page of its code, where it was mapped. */
void run_program(uint64_t offset, const struct program *program, uint64_t cr3, uint64_t base, unsigned page);

/* The PLT that programs have: PLT_SIZE bytes, good until the next call. A header, then entries that jump through GOT
 * slots 3 and 4: of puts and exit. */
const uint8_t *program_plt(bool narrow);

#endif
