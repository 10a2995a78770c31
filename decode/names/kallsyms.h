/*
 * The kernel's own table of its symbols, which is part of its image: scripts/kallsyms.c of Linux writes it. Its parts
 * have no names in a stripped image; they are found by what they must be, and only if all of them agree. Pure.
 */
#ifndef DECODE_NAMES_KALLSYMS_H
#define DECODE_NAMES_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

#define KALLSYMS_TOKENS 256u
#define KALLSYMS_NAME_MAX 512u /* KSYM_NAME_LEN: since 6.1; 128 before */

/* Where the parts stand in the image: offsets of its bytes. */
struct kallsyms_tables {
    uint64_t token_table, token_index;
    uint64_t names, names_end; /* of count symbols */
    uint64_t markers, markers_end;
    uint64_t addresses; /* kallsyms_offsets */
    uint32_t count;
    uint32_t alignment; /* of the parts: 8, or 4 since nothing of them has 8 bytes */
};

/* All but addresses. false: there are none. */
bool kallsyms_find(struct kallsyms_tables *tables, const uint8_t *image, size_t size);

/* Length of a symbol's name at an offset, in tokens; the offset moves to its first one. 0: there is none. */
uint32_t kallsyms_length(const uint8_t *image, uint64_t *at, uint64_t end);

/* How the addresses are written. */
enum kallsyms_form {
    KALLSYMS_PERCPU,   /* not negative: an absolute address; else base - 1 - it. x86_64 up to 6.14 */
    KALLSYMS_BASE,     /* base + it */
    KALLSYMS_RELATIVE, /* distance from where it stands itself: 7.2 */
    KALLSYMS_NR_FORMS
};

/* Add the code symbols of a vmlinux. begin: the address of _stext, or of _text, as the file's segments say. false:
 * there is no such table in it, and nothing was added. */
bool kallsyms_read(struct symbol_table *symbols, const struct elf_file *vmlinux);

#endif
