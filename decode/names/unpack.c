#include "decode/names/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAST_ROOM (1u << 20)

extern char **environ;

/* The formats of Linux, Documentation/arch/x86/boot.rst, by their first bytes. */
static const struct packer {
    const char *magic;
    size_t length;
    const char *program, *words[4];
} packers[] = {
    {"\x1f\x8b", 2, "gzip", {"gzip", "-dcq"}},
    {"\xfd"
     "7zXZ",
     6,
     "xz",
     {"xz", "--single-stream", "-dcq"}},
    {"\x28\xb5\x2f\xfd", 4, "zstd", {"zstd", "-dcq"}},
    {"\x02\x21\x4c\x18", 4, "lz4", {"lz4", "-dcq"}},
    {"BZh", 3, "bzip2", {"bzip2", "-dcq"}},
    {"\x89LZO", 5, "lzop", {"lzop", "-dcq"}},
    {"\x5d\0\0", 3, "xz", {"xz", "--format=lzma", "-dcq"}},
};

static const struct packer *packer_of(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
        if (size > packers[i].length && !memcmp(bytes, packers[i].magic, packers[i].length))
            return &packers[i];
    return NULL;
}

bool unpack_begins(const uint8_t *bytes, size_t size)
{
    return packer_of(bytes, size) != NULL;
}

/* An anonymous file with the bytes: the program reads it while we read its output. */
static int file_of(const uint8_t *bytes, size_t size)
{
    const int file = memfd_create("packed", MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < size;) {
        const ssize_t written = write(file, bytes + done, size - done);
        if (written <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)written;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

/* Start the program with input as its standard input. Returns a descriptor of its output; -1: it cannot be started. */
static int start(pid_t *pid, const struct packer *packer, int input)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    bool good = posix_spawn_file_actions_init(&actions) == 0;
    if (good) {
        good = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0 &&
               posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0 &&
               posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
               posix_spawnp(pid, packer->program, &actions, NULL, (char *const *)packer->words, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (good)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* Read to the end. NULL: an error, or more than limit bytes: one more than limit is read to detect that. */
static uint8_t *read_all(int from, size_t *size, size_t limit)
{
    uint8_t *bytes = NULL;
    size_t room = 0;
    *size = 0;
    for (;;) {
        if (*size == room) {
            room = room ? 2 * room : LEAST_ROOM;
            room = room > limit + 1 ? limit + 1 : room;
            uint8_t *more = *size > limit ? NULL : realloc(bytes, room);
            if (!more)
                break;
            bytes = more;
        }
        const ssize_t count = read(from, bytes + *size, room - *size);
        if (count == 0)
            return bytes;
        if (count < 0)
            break;
        *size += (size_t)count;
    }
    free(bytes);
    return NULL;
}

uint8_t *unpack(size_t *unpacked, const uint8_t *bytes, size_t size, size_t whole, size_t limit, const char *name,
                struct error *error)
{
    const struct packer *packer = packer_of(bytes, size);
    pid_t pid = 0;
    int status = 0;
    if (!packer) {
        error_set(error, ERROR_NAMES, 0, "%s: is packed in an unknown format", name);
        return NULL;
    }
    const int input = file_of(bytes, size);
    const int output = input >= 0 ? start(&pid, packer, input) : -1;
    if (input >= 0)
        close(input);
    if (output < 0) {
        error_set(error, ERROR_NAMES, 0, "%s: is packed, and %s cannot be run to unpack it: install it", name,
                  packer->program);
        return NULL;
    }
    uint8_t *text = read_all(output, unpacked, whole ? whole : limit);
    close(output);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    /* The unpacked size follows a kernel's payload. Most programs report such bytes as an error: ignore their status.
     */
    const bool good = text && (whole ? *unpacked == whole : WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (good)
        return text;
    error_set(error, ERROR_NAMES, 0, "%s: %s cannot unpack it: it is damaged, or too large", name, packer->program);
    free(text);
    return NULL;
}
