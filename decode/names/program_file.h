/*
 * Programs and libraries. Their code is mapped unchanged from the file, so a page of the capture comes from a file if
 * all bytes are equal.
 */
#ifndef DECODE_NAMES_PROGRAM_FILE_H
#define DECODE_NAMES_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/debug_file.h"
#include "decode/names/elf_file.h"
#include "decode/names/object.h"
#include "decode/names/page_set.h"

/* Claim the pages of an executable or a shared library. *object: a new object with its symbols if it has any page, else
 * NULL. places: where its debug file may be; may be NULL. false: out of memory. */
bool program_file_match(struct object **object, struct page_set *pages, const struct elf_file *file, const char *path,
                        const struct debug_places *places);

#endif
