/* Finding the tables of kallsyms in a kernel's image, except for the addresses. Pure. */
#ifndef DECODE_NAMES_KERNEL_KALLSYMS_FIND_H
#define DECODE_NAMES_KERNEL_KALLSYMS_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_TOKENS 256u
#define KALLSYMS_NAME_MAX 512u /* KSYM_NAME_LEN: since 6.1; 128 before */

/* Offsets in the image. */
struct kallsyms_tables {
    uint64_t token_table, token_index;
    uint64_t names, names_end; /* the names of count symbols */
    uint64_t markers;
    uint32_t count;
    uint32_t alignment; /* of the tables: 8, or 4 in versions whose addresses need no base of 8 bytes */
};

/* false: not found. */
bool kallsyms_find(struct kallsyms_tables *tables, const uint8_t *image, size_t size);

/* The length of the name at *at, in tokens; *at advances to its first token. 0: it does not end before end. */
uint32_t kallsyms_length(const uint8_t *image, uint64_t *at, uint64_t end);

#endif
