/* Which line of which source a piece of code was made of: by DWARF, of ELF files and of their debug files. */
#ifndef DECODE_CLI_TEXT_SOURCE_LINE_H
#define DECODE_CLI_TEXT_SOURCE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/names.h"

struct source_lines;

/* Can this tool do it? It is built without libdw where that was not there. false: said so, for a command. */
bool source_lines_are_there(const char *command);

/* directories: where debug files are looked for (.build-id), beside the usual places. A file is opened when it is asked
 * for. NULL: no memory. */
struct source_lines *source_lines_open(struct names *names, const char *const *directories, size_t nr_directories);
void source_lines_close(struct source_lines *lines); /* NULL: none */

/* "file.c:123" of an address as names_find takes it; "??:0", as addr2line has it, where nothing tells. Returns text,
 * cut to its size. */
#define SOURCE_LINE_SIZE 512u
const char *source_line_text(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                             uint64_t cr3, uint64_t at, uint64_t address);

/* The same where something tells. false: nothing does. */
bool source_line_known(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                       uint64_t cr3, uint64_t at, uint64_t address);

#endif
