/*
 * The code of a kernel module as it is loaded. kernel/module/main.c of Linux, layout_sections(): the sections of code
 * follow each other in the order of the file; those of .init are separate and start at a page of their own. Pure.
 */
#ifndef DECODE_NAMES_MODULE_TEXT_H
#define DECODE_NAMES_MODULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/elf_file.h"
#include "decode/names/object.h"

/* One of the two parts of a module: its code, and a mask of the bytes that relocations change. */
enum module_part { MODULE_CORE, MODULE_INIT, MODULE_NR_PARTS };
struct module_text {
    uint8_t *bytes, *masked;
    size_t size;
    struct object *object; /* its symbols; addresses begin at 0 */
};

/* Is the file a kernel module? */
bool module_text_is_of(const struct elf_file *file);

/* Read a part; size is 0 if it has no code. false: out of memory. */
bool module_text_read(struct module_text *text, const struct elf_file *file, const char *path, enum module_part part);
void module_text_free(struct module_text *text);

#endif
