/*
 * Kernel modules: their code is relocated as they are loaded, so a page is theirs if its bytes are but for where
 * relocations stand, and for some that the kernel patches. kernel/module/main.c of Linux, layout_sections(): the
 * sections of code stand one behind the other in the order of the file; those of .init apart, at a page of their own.
 */
#ifndef DECODE_NAMES_MODULE_FILE_H
#define DECODE_NAMES_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/names/elf_file.h"
#include "decode/names/object.h"
#include "decode/names/page_set.h"

/* What was executed at the kernel's addresses and is not the kernel's, by short runs of its bytes. */
struct module_index {
    struct module_run {
        uint64_t hash;
        uint32_t content, offset; /* of the page set; in the page */
    } * runs;                     /* by hash */
    size_t nr_runs, room;
    uint32_t *votes; /* for each page of the set, while a module's page is compared */
    size_t *tails;   /* for each: behind it the page is zeros, or traps, to its end */
};

/* One of the two parts of a module as it is loaded: code, and which of its bytes are not the file's. */
enum module_part { MODULE_CORE, MODULE_INIT, MODULE_NR_PARTS };
struct module_text {
    uint8_t *bytes, *masked;
    size_t size;
    struct object *object; /* with its symbols; addresses begin at 0 */
};

/* Pages of the set that the function says are not wanted are left out. false: no memory. */
bool module_index_build(struct module_index *index, const struct page_set *pages,
                        bool (*wanted)(const void *context, const struct page_content *content), const void *context);
void module_index_free(struct module_index *index);

bool module_file_is(const struct elf_file *file);

/* Read a part; size is 0 if it has no code. false: no memory. */
bool module_text_read(struct module_text *text, const struct elf_file *file, const char *path, enum module_part part);
void module_text_free(struct module_text *text);

/* Claim its pages. Returns how many; the object of one that claims some is the caller's, and gone from text. */
size_t module_text_match(struct object **object, struct module_text *text, struct page_set *pages,
                         struct module_index *index);

#endif
