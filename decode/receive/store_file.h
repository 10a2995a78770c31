/* A file of a capture: it only grows, it is written in large pieces, and each piece leaves its checksum. */
#ifndef DECODE_STORE_FILE_H
#define DECODE_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/checksum.h"
#include "decode/capture/error.h"

struct store_file {
    int directory;
    const char *directory_name;   /* for errors; the owner keeps it */
    struct error *error;          /* the owner's */
    struct store_file *checksums; /* where those of this file go; NULL: it has none */
    enum checksum_file kind;
    uint16_t cpu;
    char name[CHECKSUM_FILE_NAME];
    int fd;
    bool failed;      /* a write failed, error says why: nothing more is written */
    uint64_t written; /* file offset of the buffer's first byte */
    uint64_t summed;  /* up to where there are checksums: what lies from here to written is a hole */
    size_t used;
    uint8_t *buffer;
};

/* Make the file name, which directory, directory_name and error of *file are set for. false: error says why.
 * store_file_close is needed in both cases. */
bool store_file_open(struct store_file *file, const char *name);

/* The same for one whose checksums go to another file: it has the name that its kind has. */
bool store_file_open_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                            struct store_file *checksums);

/* File offset of the next byte. */
uint64_t store_file_end(const struct store_file *file);

bool store_file_append(struct store_file *file, const void *bytes, size_t size);

/* Leave a hole, which reads as zeros, up to offset. */
bool store_file_skip_to(struct store_file *file, uint64_t offset);

bool store_file_flush(struct store_file *file);

/* Append the entry of a block to a file of checksums. */
bool store_file_sum(struct store_file *checksums, enum checksum_file kind, uint16_t cpu, uint64_t offset,
                    const void *bytes, uint64_t size);

/* Close without a flush. */
void store_file_close(struct store_file *file);

#endif
