/*
 * Two files that alternately get the newest state of something, which is written often and read after a crash: the
 * state before it stays until the new one is whole. docs/capture.md, "resume", is the format.
 */
#ifndef DECODE_JOURNAL_H
#define DECODE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_FILES 2u
#define JOURNAL_NAME_MAX 16u

struct journal {
    int directory; /* belongs to the owner */
    int fds[JOURNAL_FILES];
    uint64_t count; /* states written so far: state n is in file n modulo 2 */
};

struct journal_header {
    uint64_t magic;
    uint64_t count; /* the higher one is the newer one */
    uint64_t size;  /* bytes of the state, without the header */
    uint32_t reserved;
    uint32_t crc; /* CRC-32C of the state, then of the 28 bytes before */
};

/* The name of one of the files. */
const char *journal_name(char name[JOURNAL_NAME_MAX], unsigned file);

/* Make the files in a directory, without a state, or open those that are there. false: see errno. journal_close is
 * needed in both cases. */
bool journal_create(struct journal *journal, int directory);
bool journal_open(struct journal *journal, int directory);

/* Are there such files? */
bool journal_exists(int directory);

/* Write a state: a header, which is set here, and size bytes after it. false: see errno; the one before stays. */
bool journal_write(struct journal *journal, struct journal_header *header, size_t size);

/* The newest state of opened files, without its header, and its size; the caller frees it. NULL: there is none;
 * *is_empty: nor was there ever one. */
void *journal_read(struct journal *journal, size_t *size, bool *is_empty);

/* Forget all states. */
bool journal_clear(struct journal *journal);

void journal_close(struct journal *journal);

/* Remove the files. */
void journal_remove(const struct journal *journal);

#endif
