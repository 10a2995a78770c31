#include "decode/receive/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serial/wire/crc32c.h"

#define MAGIC 0x656d757365525455ull /* "UTResume" */
#define BYTES_BEFORE_CRC offsetof(struct journal_header, crc)
#define STATE_MAX (64u << 20)

_Static_assert(sizeof(struct journal_header) == 32, "docs/capture.md: the header has 32 bytes");

const char *journal_name(char name[JOURNAL_NAME_MAX], unsigned file)
{
    snprintf(name, JOURNAL_NAME_MAX, "resume.%u", file);
    return name;
}

static bool open_files(struct journal *journal, int directory, int flags)
{
    char name[JOURNAL_NAME_MAX];
    bool good = true;
    *journal = (struct journal){.directory = directory};
    for (unsigned i = 0; i < JOURNAL_FILES; i++) {
        journal->fds[i] = openat(directory, journal_name(name, i), flags | O_CLOEXEC, 0666);
        good = good && journal->fds[i] >= 0;
    }
    return good;
}

bool journal_create(struct journal *journal, int directory)
{
    return open_files(journal, directory, O_RDWR | O_CREAT | O_TRUNC);
}

/* A receiver that was killed at its start may have made only one of them. */
bool journal_open(struct journal *journal, int directory)
{
    return open_files(journal, directory, O_RDWR | O_CREAT);
}

bool journal_exists(int directory)
{
    char name[JOURNAL_NAME_MAX];
    return faccessat(directory, journal_name(name, 0), F_OK, 0) == 0;
}

static uint32_t crc_of(const struct journal_header *header, const void *state)
{
    const uint32_t crc = crc32c_update(CRC32C_START, state, header->size);
    return crc32c_finish(crc32c_update(crc, header, BYTES_BEFORE_CRC));
}

bool journal_write(struct journal *journal, struct journal_header *header, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)header;
    const size_t whole = sizeof(*header) + size;
    *header = (struct journal_header){.magic = MAGIC, .count = journal->count + 1, .size = size};
    header->crc = crc_of(header, bytes + sizeof(*header));
    for (size_t at = 0; at < whole;) {
        const ssize_t done = pwrite(journal->fds[header->count % JOURNAL_FILES], bytes + at, whole - at, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += (size_t)done;
    }
    journal->count++;
    return true;
}

/* The state in a file, if it is whole and newer than count. */
static uint8_t *read_newer(int fd, uint64_t count, struct journal_header *header)
{
    if (pread(fd, header, sizeof(*header), 0) != sizeof(*header) || header->magic != MAGIC || header->count <= count ||
        header->size > STATE_MAX)
        return NULL;
    uint8_t *state = malloc(header->size + 1);
    if (state && pread(fd, state, header->size, sizeof(*header)) == (ssize_t)header->size &&
        header->crc == crc_of(header, state))
        return state;
    free(state);
    return NULL;
}

/* The first state is in file 1. While file 0 is empty it may be unfinished. */
void *journal_read(struct journal *journal, size_t *size, bool *is_empty)
{
    struct stat status;
    uint8_t *newest = NULL;
    for (unsigned i = 0; i < JOURNAL_FILES; i++) {
        struct journal_header header;
        uint8_t *state = read_newer(journal->fds[i], journal->count, &header);
        if (!state)
            continue;
        free(newest);
        newest = state;
        journal->count = header.count;
        *size = header.size;
    }
    *is_empty = !newest && fstat(journal->fds[0], &status) == 0 && status.st_size == 0;
    return newest;
}

bool journal_clear(struct journal *journal)
{
    bool good = true;
    for (unsigned i = 0; i < JOURNAL_FILES; i++)
        good = ftruncate(journal->fds[i], 0) == 0 && good;
    journal->count = 0;
    return good;
}

void journal_close(struct journal *journal)
{
    for (unsigned i = 0; i < JOURNAL_FILES; i++) {
        if (journal->fds[i] >= 0)
            close(journal->fds[i]);
        journal->fds[i] = -1;
    }
}

void journal_remove(const struct journal *journal)
{
    char name[JOURNAL_NAME_MAX];
    for (unsigned i = JOURNAL_FILES; i-- > 0;) /* the first one last: journal_exists */
        unlinkat(journal->directory, journal_name(name, i), 0);
}
