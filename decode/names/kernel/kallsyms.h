/*
 * kallsyms: the symbol table that is part of the kernel's image, written by scripts/kallsyms.c of Linux. A stripped
 * image has no symbols for its tables: they are recognised by their contents, and only if all of them agree. Pure.
 */
#ifndef DECODE_NAMES_KERNEL_KALLSYMS_H
#define DECODE_NAMES_KERNEL_KALLSYMS_H

#include <stdbool.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add the symbols of a vmlinux, those of data too. false: it has no kallsyms, and nothing was added. */
bool kallsyms_read(struct symbol_table *symbols, const struct elf_file *vmlinux);

#endif
