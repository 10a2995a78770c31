/* Source lines of code, from DWARF in ELF files and their debug files. */
#ifndef DECODE_CLI_TEXT_SOURCE_LINE_H
#define DECODE_CLI_TEXT_SOURCE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/names.h"

struct source_lines;

/* Was the tool built with libdw? false: a message for the command says so. */
bool source_lines_are_there(const char *command);

/* Debug files (.build-id) are searched in the directories of names, in addition to the usual places. Files are opened
 * on demand. NULL: out of memory. */
struct source_lines *source_lines_open(struct names *names);
void source_lines_close(struct source_lines *lines); /* may be NULL */

/* Format "file.c:123" for an address as in names_find; "??:0" if unknown, like addr2line. Returns text, cut to its
 * size. */
#define SOURCE_LINE_SIZE 512u
const char *source_line_text(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                             uint64_t cr3, uint64_t at, uint64_t address);

/* The same if the line is known. false: it is unknown. */
bool source_line_known(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                       uint64_t cr3, uint64_t at, uint64_t address);

#endif
