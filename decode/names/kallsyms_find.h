/* The parts of the kernel's table of symbols, but for the addresses: where they stand. Pure. */
#ifndef DECODE_NAMES_KALLSYMS_FIND_H
#define DECODE_NAMES_KALLSYMS_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_TOKENS 256u
#define KALLSYMS_NAME_MAX 512u /* KSYM_NAME_LEN: since 6.1; 128 before */

/* Offsets of the image's bytes. */
struct kallsyms_tables {
    uint64_t token_table, token_index;
    uint64_t names, names_end; /* of count symbols */
    uint64_t markers;
    uint32_t count;
    uint32_t alignment; /* of the parts: 8, or 4 since nothing of them has 8 bytes */
};

/* false: there are none. */
bool kallsyms_find(struct kallsyms_tables *tables, const uint8_t *image, size_t size);

/* Length of a symbol's name at an offset, in tokens; the offset moves to its first one. 0: there is none. */
uint32_t kallsyms_length(const uint8_t *image, uint64_t *at, uint64_t end);

#endif
