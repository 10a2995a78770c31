/* A file, or a part of one, that pages of the capture are of, with its symbols. */
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
    char *name;                  /* as struct name tells it */
    char *path;                  /* of the file, where it has the object's own addresses; NULL: none has */
    struct symbol_table symbols; /* at the object's own addresses */
    struct object_range *code;   /* sections or segments of code: no function reaches beyond its own */
    size_t nr_code, code_room;
    bool runs;      /* a program, no library */
    uint64_t entry; /* of a program */
    uint8_t id[64]; /* the build ID; files with the same one are the same */
    size_t id_size;
    size_t pages; /* of the capture, that only it claims */
};

/* A new one; the name's directories are left out. NULL: no memory. */
struct object *object_new(enum object_kind kind, const char *name);
void object_free(struct object *object);

/* false: no memory. */
bool object_add_code(struct object *object, uint64_t begin, uint64_t size);

/* The function at an address; NULL: not known. *begin and *end: of it, or of what is around the address. */
const struct symbol_entry *object_find(const struct object *object, uint64_t address, uint64_t *begin, uint64_t *end);

#endif
