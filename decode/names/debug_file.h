/*
 * Symbols that were split off: by build ID (DIR/.build-id/xx/yyyy.debug) or by .gnu_debuglink. gdb's manual, "Debugging
 * Information in Separate Files".
 */
#ifndef DECODE_NAMES_DEBUG_FILE_H
#define DECODE_NAMES_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Add what the debug file of a program or library has. directories: where .build-id is looked for, beside the usual
 * place. false: there is none. */
bool debug_file_read(struct symbol_table *symbols, const struct elf_file *file, const char *path,
                     const char *const *directories, size_t nr_directories);

#endif
