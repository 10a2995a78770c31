/*
 * Where functions begin and end, by what unwinds their stack frames (.eh_frame): compilers make one entry for each,
 * also of those whose symbols were stripped. Linux Standard Base, "Exception Frames". Pure.
 */
#ifndef DECODE_NAMES_FRAMES_H
#define DECODE_NAMES_FRAMES_H

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add them without names. Entries whose addresses are encoded in another way than linkers on x86 do are left out. */
void frames_read(struct symbol_table *symbols, const struct elf_file *file);

#endif
