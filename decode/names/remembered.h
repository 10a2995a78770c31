/*
 * The files that a capture's names come from, as the capture's own file `names` keeps them for later commands:
 * docs/names.md, "Names are remembered". What it says is a hint: a file that it names is compared with the capture's
 * pages like any other.
 */
#ifndef DECODE_NAMES_REMEMBERED_H
#define DECODE_NAMES_REMEMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/names/names.h"

#define REMEMBERED_NAME "names" /* the file, in the capture's directory */

enum remembered_kind {
    REMEMBERED_KERNEL,
    REMEMBERED_SYMBOLS,
    REMEMBERED_GIVEN, /* a path of --files, as it was given */
    REMEMBERED_FILE,  /* a file with code of the capture, which was given or lies below such a path */
    REMEMBERED_DEBUG, /* a path of --debug */
    REMEMBERED_OTHER, /* a kernel that is not the capture's */
    REMEMBERED_NR_KINDS
};

#define REMEMBERED_ID_SIZE 64u
struct remembered_item {
    enum remembered_kind kind;
    char *path;                     /* absolute */
    uint64_t size, time;            /* of the file when it was read: bytes, and nanoseconds of its last change */
    uint8_t id[REMEMBERED_ID_SIZE]; /* its build ID */
    size_t id_size;                 /* 0: it has none */
};

struct remembered {
    uint64_t events_size; /* of the capture when the files were searched: a longer one may have code of more files */
    struct remembered_item *items;
    size_t count, room;
};

/* A missing or invalid file is as an empty one. */
void remembered_read(struct remembered *remembered, const struct capture *capture);
void remembered_free(struct remembered *remembered);

/* Write the file, if it would change. false: it cannot be written, errno says why. */
bool remembered_write(const struct remembered *remembered, const struct capture *capture);

/* Delete the file. false: it is still there, errno says why. */
bool remembered_forget(const struct capture *capture);

/* Add a file, which must exist, unless it is there already. id may be NULL. A path that a line cannot hold is left out.
 * false: out of memory. */
bool remembered_add(struct remembered *remembered, enum remembered_kind kind, const char *path, const uint8_t *id,
                    size_t id_size);

/* Replace what is remembered by what was found. searched: the kernel and the list of symbols that the names were opened
 * with, and the paths that were searched for files and for debug files; what it lacks stays as it is, and so does what
 * would be replaced by nothing, because the capture has no code of it. false: out of memory. */
bool remembered_take(struct remembered *remembered, const struct capture *capture, const struct names *names,
                     const struct names_options *searched);

/* Remove all of a kind. */
void remembered_drop(struct remembered *remembered, enum remembered_kind kind);

/* Iterate over a kind: *position starts at 0 and advances. NULL: no more. */
const struct remembered_item *remembered_next(const struct remembered *remembered, size_t *position,
                                              enum remembered_kind kind);

/* Is the file still the one that was read, by size and time? */
bool remembered_is_same(const struct remembered_item *item);

/* Is this file one of that kind, still the one that was read? */
bool remembered_has(const struct remembered *remembered, enum remembered_kind kind, const char *path);

/* "kernel", as in the file and in info --json. */
const char *remembered_kind_text(enum remembered_kind kind);

#endif
