/*
 * Symbols in separate debug files, found by build ID (DIR/.build-id/xx/yyyy.debug) or by .gnu_debuglink. gdb's manual,
 * "Debugging Information in Separate Files".
 */
#ifndef DECODE_NAMES_DEBUG_FILE_H
#define DECODE_NAMES_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add the symbols of a program's or library's debug file. directories: searched for .build-id before /usr/lib/debug.
 * false: there is no debug file. */
bool debug_file_read(struct symbol_table *symbols, const struct elf_file *file, const char *path,
                     const char *const *directories, size_t nr_directories);

#endif
