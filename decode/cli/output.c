#include "decode/cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/cli/message.h"

/* Is this the name of a file of a capture? docs/capture.md lists them. */
static bool is_capture_name(const char *name)
{
    static const char *const names[] = {"events.bin", "index",          "meta.json",   "checksums",
                                        "control",    "index.executed", "index.stacks"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i]))
            return true;
    size_t digits = strncmp(name, "cpu", 3) == 0 ? strspn(name + 3, "0123456789") : 0;
    return digits > 0 && !strcmp(name + 3 + digits, ".pt");
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is this file, under any name, one of the capture's? */
static bool is_of_capture(const struct stat *file, const char *directory)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    bool found = false;
    while (dir && !found && (entry = readdir(dir))) {
        struct stat status;
        found = is_capture_name(entry->d_name) && fstatat(dirfd(dir), entry->d_name, &status, 0) == 0 &&
                same_file(file, &status);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* The file does not exist yet: would it become a file of the capture? */
static bool would_be_of_capture(const char *name, const char *directory)
{
    struct stat parent, capture;
    const char *slash = strrchr(name, '/');
    char *path = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    bool same = path && stat(path, &parent) == 0 && stat(directory, &capture) == 0 && same_file(&parent, &capture);
    free(path);
    return same && is_capture_name(slash ? slash + 1 : name);
}

bool output_spares(const char *name, const char *directory)
{
    struct stat status;
    if (stat(name, &status) == 0 ? !is_of_capture(&status, directory) : !would_be_of_capture(name, directory))
        return true;
    message_print("%s: is a file of the capture %s, which is never overwritten: name another file", name, directory);
    return false;
}

FILE *output_open(const char *name, const char *directory)
{
    if (!strcmp(name, "-"))
        return stdout;
    if (!output_spares(name, directory))
        return NULL;
    FILE *file = fopen(name, "we");
    if (!file)
        message_errno("%s: cannot be written", name);
    return file;
}

/* Devices and pipes are written directly. */
static bool is_replaced(const char *name)
{
    struct stat status;
    return strcmp(name, "-") && (stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

/* The name until the file is complete; where name is a link, beside the file that it leads to. NULL: no memory. */
static char *part_of(const char *name, char **whole)
{
    char *part = NULL;
    *whole = realpath(name, NULL);
    if (!*whole)
        *whole = strdup(name);
    if (*whole && asprintf(&part, "%s.part", *whole) < 0)
        part = NULL;
    return part;
}

/* An existing file must be writable, as for fopen. */
FILE *output_begin_whole(const char *name, const char *directory)
{
    if (!is_replaced(name))
        return output_open(name, directory);
    if (!output_spares(name, directory))
        return NULL;
    char *whole, *part = part_of(name, &whole);
    FILE *file = part && (access(name, F_OK) != 0 || access(name, W_OK) == 0) ? fopen(part, "we") : NULL;
    if (!file)
        message_errno("%s: cannot be written", name);
    free(part);
    free(whole);
    return file;
}

bool output_finish(FILE *file, const char *name, bool good)
{
    bool closed = output_close(file, name);
    if (!file || !is_replaced(name))
        return closed;
    char *whole, *part = part_of(name, &whole);
    if (part && closed && good && rename(part, whole) != 0) {
        message_errno("%s: cannot be written", name);
        closed = false;
    }
    if (part && !(closed && good))
        unlink(part);
    free(part);
    free(whole);
    return closed && part;
}

bool output_close(FILE *file, const char *name)
{
    if (!file || file == stdout)
        return true;
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good)
        message_errno("%s: cannot be written", name);
    return good;
}

/* The errno of the first failed write to standard output; 0: none. stdio forgets it at the next write. */
static int lost_errno;

/* Other C libraries' stdout cannot be replaced. It works too, except for the reason in the message. */
#ifdef __GLIBC__

/* stdio's write function: writes all of size, or after the first failure nothing. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size)
{
    size_t done = 0;
    (void)cookie;
    while (done < size && !lost_errno) {
        const ssize_t written = write(STDOUT_FILENO, bytes + done, size - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            lost_errno = errno;
    }
    errno = lost_errno;
    return lost_errno ? 0 : (ssize_t)size;
}

void output_begin(void)
{
    static char buffer[1u << 16];
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_all});
    if (!file)
        return;
    setvbuf(file, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(buffer));
    stdout = file;
}

#else

void output_begin(void)
{
}

#endif

bool output_end(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (lost_errno)
        errno = lost_errno;
    message_errno("standard output: cannot be written");
    return false;
}
