/*
 * The file index.stacks of a capture: what is known between two transfers, now and then, so that a window of time is
 * decoded from the last such point before it. docs/ask.md describes the layout. It holds for one content of the capture
 * and one set of files with names; a file that is damaged, or made of others, counts as if there were none. Pure but
 * for reading and writing the file.
 */
#ifndef DECODE_CALLS_STACKS_FILE_H
#define DECODE_CALLS_STACKS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/identity.h"
#include "decode/capture/pack.h"

#define STACKS_FILE_MAGIC "UTSTACK\n"
#define STACKS_FILE_VERSION 1u

struct stacks_file_header {
    char magic[8];
    uint32_t version;
    uint32_t crc; /* CRC-32C of everything after the header */
    struct capture_identity identity;
    uint32_t names, tool; /* names_identity; CRC-32C of the version of undertrace, which determines the stacks */
    uint64_t count;       /* entries, which follow; then their bytes */
    uint32_t known;       /* how many names the pass knew before its first event */
    uint32_t header_crc;  /* CRC-32C of the fields before it */
};
_Static_assert(sizeof(struct stacks_file_header) == 72, "docs/ask.md: the header of index.stacks is 72 bytes");

/* A checkpoint. */
struct stacks_file_entry {
    uint64_t offset, size; /* of its bytes, in the file */
    uint64_t tsc;          /* all that happened before it on any CPU has an earlier time, or this one */
    uint32_t cut;          /* its number among all points where runs are cut: stacks_run_cuts */
    uint32_t names;        /* how many names are known then */
};
_Static_assert(sizeof(struct stacks_file_entry) == 32, "docs/ask.md: an entry of index.stacks is 32 bytes");

struct stacks_file {
    struct stacks_file_entry *entries; /* in the order of the trace; offsets are those in bytes */
    size_t count, room;
    struct pack bytes; /* of all entries */
    bool changed;      /* since it was read */
    struct capture_identity identity;
    uint32_t names, tool, known;
};

/* Parse the bytes of a file. false: it is invalid, or made of something else than file->identity, names, tool and
 * known say;
 * then it has no entries. */
bool stacks_file_take(struct stacks_file *file, const uint8_t *bytes, uint64_t size);

/* The bytes of a file with all entries; pack has nothing before. */
void stacks_file_make(const struct stacks_file *file, struct pack *pack);

/* Add an entry, with its bytes. false: no memory, and nothing is added. */
bool stacks_file_add(struct stacks_file *file, struct stacks_file_entry entry, const struct pack *bytes);

/* The bytes of an entry. */
struct packed stacks_file_bytes(const struct stacks_file *file, size_t index);

/* The last entry that is before a time. SIZE_MAX: none is. */
size_t stacks_file_before(const struct stacks_file *file, uint64_t tsc);

/* Read the capture's file, if it has a valid one of these names, of which so many are known. */
void stacks_file_read(struct stacks_file *file, const struct capture *capture, uint32_t names, uint32_t known);

/* Write it if it has changed. Where that fails, later commands decode more. */
void stacks_file_write(struct stacks_file *file, const struct capture *capture);
void stacks_file_free(struct stacks_file *file);

#endif
