#include "decode/receive/store_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool directory_is_empty(int fd)
{
    DIR *dir = fdopendir(dup(fd));
    if (!dir)
        return false;
    const struct dirent *entry;
    bool empty = true;
    while ((entry = readdir(dir)))
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    closedir(dir);
    return empty;
}

int store_directory_make(const char *directory, bool *made, struct error *error)
{
    *made = mkdir(directory, 0777) == 0;
    if (!*made && errno != EEXIST) {
        error_set(error, ERROR_CANNOT_MAKE, 0, "%s", directory);
        return -1;
    }
    int fd = store_directory_open(directory, error);
    if (fd < 0 || directory_is_empty(fd))
        return fd;
    close(fd);
    error_set(error, ERROR_NOT_EMPTY, 0, "%s", directory);
    return -1;
}

int store_directory_open(const char *directory, struct error *error)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", directory);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) /* some file systems have no locks */
        return fd;
    close(fd);
    error_set(error, ERROR_IN_USE, 0, "%s", directory);
    return -1;
}
