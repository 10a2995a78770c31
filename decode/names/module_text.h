/*
 * Kernel modules: their code as it is loaded. kernel/module/main.c of Linux, layout_sections(): the sections of code
 * stand one behind the other in the order of the file; those of .init apart, at a page of their own. Pure.
 */
#ifndef DECODE_NAMES_MODULE_TEXT_H
#define DECODE_NAMES_MODULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/elf_file.h"
#include "decode/names/object.h"

/* One of the two parts of a module: code, and which of its bytes are not the file's: relocations stand there. */
enum module_part { MODULE_CORE, MODULE_INIT, MODULE_NR_PARTS };
struct module_text {
    uint8_t *bytes, *masked;
    size_t size;
    struct object *object; /* with its symbols; addresses begin at 0 */
};

bool module_text_is_of(const struct elf_file *file);

/* Read a part; size is 0 if it has no code. false: no memory. */
bool module_text_read(struct module_text *text, const struct elf_file *file, const char *path, enum module_part part);
void module_text_free(struct module_text *text);

#endif
