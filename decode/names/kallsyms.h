/*
 * The kernel's own table of its symbols, which is part of its image: scripts/kallsyms.c of Linux writes it. Its parts
 * have no names in a stripped image; they are found by what they must be, and only if all of them agree. Pure.
 */
#ifndef DECODE_NAMES_KALLSYMS_H
#define DECODE_NAMES_KALLSYMS_H

#include <stdbool.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add the symbols of a vmlinux, of data as well. false: there is no such table in it, and nothing was added. */
bool kallsyms_read(struct symbol_table *symbols, const struct elf_file *vmlinux);

#endif
