/* A code image as an ELF file: a segment and a section for pages that follow each other, and a symbol table. System V
 * ABI, "Object Files". */
#ifndef DECODE_QUERY_CODE_ELF_H
#define DECODE_QUERY_CODE_ELF_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/query/code_image.h"

enum code_elf_result {
    CODE_ELF_WRITTEN,  /* but for an error of the file: ferror */
    CODE_ELF_TOO_MANY, /* pieces of code that are not together: more than the format has numbers for */
    CODE_ELF_NO_MEMORY
};
enum code_elf_result code_elf_write(FILE *file, const struct code_image *image);

/* Where its first page stands in the file; the others follow, one behind the other. */
uint64_t code_elf_first_page(const struct code_image *image);

#endif
