/*
 * Symbols in separate debug files, which are given, or found by build ID (DIR/.build-id/xx/yyyy.debug) or by
 * .gnu_debuglink. gdb's manual, "Debugging Information in Separate Files".
 */
#ifndef DECODE_NAMES_DEBUG_FILE_H
#define DECODE_NAMES_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/elf_file.h"
#include "decode/names/symbol_table.h"

/* Where debug files are searched, before and after the usual places. */
struct debug_places {
    const char *const *paths; /* debug files, and directories that have them as /usr/lib/debug does: before it */
    size_t nr_paths;
    char *(*fetch)(const uint8_t *id, size_t id_size, const char *name); /* struct names_options */
};

/* Add the symbols of a program's or library's debug file. places may be NULL. false: there is no debug file. */
bool debug_file_read(struct symbol_table *symbols, const struct elf_file *file, const char *path,
                     const struct debug_places *places);

#endif
