/* A file of a capture: it only grows, and it is written in large pieces. */
#ifndef DECODE_OUTPUT_H
#define DECODE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    int directory;
    const char *directory_name; /* for messages; the owner keeps it */
    char name[16];
    int fd;
    bool failed;      /* a write failed, and the reason was said: nothing more is written */
    uint64_t written; /* file offset of the buffer's first byte */
    size_t used;
    uint8_t *buffer;
};

/* Make the file name in the open directory. false: said why. output_close is needed in both cases. */
bool output_open(struct output *output, int directory, const char *directory_name, const char *name);

/* File offset of the next byte. */
uint64_t output_end(const struct output *output);

bool output_append(struct output *output, const void *bytes, size_t size);

/* Leave a hole, which reads as zeros, up to offset. */
bool output_skip_to(struct output *output, uint64_t offset);

bool output_flush(struct output *output);

/* Close without a flush. */
void output_close(struct output *output);

#endif
