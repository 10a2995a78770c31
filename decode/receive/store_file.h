/* A file of a capture. It only grows, is written in large blocks, and has a checksum of each block. */
#ifndef DECODE_STORE_FILE_H
#define DECODE_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/checksum.h"
#include "decode/capture/error.h"

/* What to do when there is no room for a file: wait a moment, and return whether to try again. reason: errno. */
struct store_waiter {
    bool (*wait)(void *context, int reason); /* NULL: the write fails */
    void *context;
};

/* A write failed with errno: wait if that is for room. false: do not try again. Keeps errno. */
bool store_waits(const struct store_waiter *waiter);

struct store_file {
    const struct store_waiter *waiter; /* belongs to the owner */
    int directory;
    const char *directory_name;   /* for errors; belongs to the owner */
    struct error *error;          /* belongs to the owner */
    struct store_file *checksums; /* the file for this file's checksums; NULL: it has none */
    enum checksum_file kind;
    uint16_t cpu;
    char name[CHECKSUM_FILE_NAME];
    int fd;
    bool failed;      /* a write failed, error says why: nothing more is written */
    uint64_t written; /* file offset of the buffer's first byte */
    uint64_t summed;  /* the end of the checksums; the bytes from here to written are a hole */
    size_t used;
    uint8_t *buffer;
};

/* Make the file `name`. directory, directory_name and error of *file are set. false: error says why. store_file_close
 * is needed in both cases. */
bool store_file_open(struct store_file *file, const char *name);

/* The same for a file with checksums, named by its kind. */
bool store_file_open_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                            struct store_file *checksums);

/* Open a file of an earlier process, and cut it at its end: summed if it has checksums (a hole follows up to end). */
bool store_file_reopen(struct store_file *file, const char *name, uint64_t end);
bool store_file_reopen_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                              struct store_file *checksums, uint64_t end, uint64_t summed);

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
