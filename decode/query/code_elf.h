/* A code image as an ELF file: a segment and a section for pages that follow each other, and a symbol table. System V
 * ABI, "Object Files". */
#ifndef DECODE_QUERY_CODE_ELF_H
#define DECODE_QUERY_CODE_ELF_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/query/code_image.h"

enum code_elf_result {
    CODE_ELF_WRITTEN,  /* the caller must still check ferror */
    CODE_ELF_TOO_MANY, /* more separate pieces of code than the format can number */
    CODE_ELF_NO_MEMORY
};
enum code_elf_result code_elf_write(FILE *file, const struct code_image *image);

/* The file offset of the image's first page; the other pages follow it without gaps. */
uint64_t code_elf_first_page(const struct code_image *image);

#endif
