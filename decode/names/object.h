/* A file, or a part of one, that contains pages of the capture, with its symbols. */
#ifndef DECODE_NAMES_OBJECT_H
#define DECODE_NAMES_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/symbol_table.h"

enum object_kind { OBJECT_KERNEL, OBJECT_LOADER, OBJECT_MODULE, OBJECT_PROGRAM, OBJECT_VDSO, OBJECT_NR_KINDS };

struct object_range {
    uint64_t begin, end;
};

struct object {
    enum object_kind kind;
    char *name;                  /* the object of struct name */
    char *path;                  /* a file with the object's addresses; NULL: there is none */
    char *file;                  /* the file that was read; NULL: it is a part of the kernel's image */
    struct symbol_table symbols; /* at the object's addresses, as all others below */
    struct object_range *code;   /* sections or segments of code: no function extends past the end of its range */
    size_t nr_code, code_room;
    bool runs;      /* a program, not a library */
    uint64_t entry; /* of a program */
    uint8_t id[64]; /* the build ID; files with the same one count as one */
    size_t id_size;
    size_t pages; /* of the capture, that only this object claims */
};

/* name: a path, of which the object's name is the last part. NULL: out of memory. */
struct object *object_new(enum object_kind kind, const char *name);
void object_free(struct object *object);

/* false: out of memory. */
bool object_add_code(struct object *object, uint64_t begin, uint64_t size);

/* The function at an address; NULL: not known. *begin and *end: its range, or that of the unknown code around the
 * address. */
const struct symbol_entry *object_find(const struct object *object, uint64_t address, uint64_t *begin, uint64_t *end);

#endif
