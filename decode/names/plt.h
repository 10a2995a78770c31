/* Entries of a procedure linkage table are named NAME@plt, by the relocation of the GOT slot that they jump through.
 * Pure. */
#ifndef DECODE_NAMES_PLT_H
#define DECODE_NAMES_PLT_H

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* x86's PLTs (.plt, .plt.sec, .plt.got), 64- and 32-bit; System V ABI, AMD64 and Intel386 supplements. */
void plt_read(struct symbol_table *symbols, const struct elf_file *file);

#endif
