/*
 * Programs and libraries: a page of their code that the capture has is theirs if all of its bytes are, since a
 * program's code is mapped as the file has it.
 */
#ifndef DECODE_NAMES_PROGRAM_FILE_H
#define DECODE_NAMES_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/elf_file.h"
#include "decode/names/object.h"
#include "decode/names/page_set.h"

/* Claim the pages of an executable or a shared library. *object is a new one with its symbols, if there are any, else
 * NULL. directories: of debug files. false: no memory. */
bool program_file_match(struct object **object, struct page_set *pages, const struct elf_file *file, const char *path,
                        const char *const *directories, size_t nr_directories);

#endif
