/*
 * Where functions begin and end, from the unwind information in .eh_frame: it has an entry for each function, even if
 * the symbols were stripped. Linux Standard Base, "Exception Frames". Pure.
 */
#ifndef DECODE_NAMES_FRAMES_H
#define DECODE_NAMES_FRAMES_H

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add the functions without names. Entries are skipped if their addresses have an encoding that x86 linkers do not
 * use. */
void frames_read(struct symbol_table *symbols, const struct elf_file *file);

#endif
