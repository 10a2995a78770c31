/* A file of a capture: it only grows, and it is written in large pieces. */
#ifndef DECODE_STORE_FILE_H
#define DECODE_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct store_file {
    int directory;
    const char *directory_name; /* for errors; the owner keeps it */
    struct error *error;        /* the owner's */
    char name[16];
    int fd;
    bool failed;      /* a write failed, error says why: nothing more is written */
    uint64_t written; /* file offset of the buffer's first byte */
    size_t used;
    uint8_t *buffer;
};

/* Make the file name in the open directory. false: error says why. store_file_close is needed in both cases. */
bool store_file_open(struct store_file *file, int directory, const char *directory_name, const char *name,
                     struct error *error);

/* File offset of the next byte. */
uint64_t store_file_end(const struct store_file *file);

bool store_file_append(struct store_file *file, const void *bytes, size_t size);

/* Leave a hole, which reads as zeros, up to offset. */
bool store_file_skip_to(struct store_file *file, uint64_t offset);

bool store_file_flush(struct store_file *file);

/* Close without a flush. */
void store_file_close(struct store_file *file);

#endif
