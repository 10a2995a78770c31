/* The functions of an ELF file, from its own symbol tables. Pure. */
#ifndef DECODE_NAMES_ELF_SYMBOLS_H
#define DECODE_NAMES_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add the code symbols of a SHT_SYMTAB or SHT_DYNSYM section (NULL: none), with moved added to their addresses. Returns
 * how many. */
size_t elf_symbols_read(struct symbol_table *symbols, const struct elf_file *file, const struct elf_section *table,
                        uint64_t moved);

/* The rank of a symbol among those at its address, by type, binding and name: the lowest is the best. UINT32_MAX: it
 * names no code. */
uint32_t elf_symbols_rank(const struct elf_symbol *symbol, const struct elf_section *section);

#endif
