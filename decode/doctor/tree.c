#include "decode/doctor/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 512u

bool tree_path(char *out, size_t size, const char *root, const char *path)
{
    size_t length = strlen(root);
    while (length > 0 && root[length - 1] == '/')
        length--;
    const int written = snprintf(out, size, "%.*s%s", (int)length, root, path);
    return written >= 0 && (size_t)written < size;
}

FILE *tree_open(const char *root, const char *path)
{
    char whole[PATH_SIZE];
    return tree_path(whole, sizeof(whole), root, path) ? fopen(whole, "re") : NULL;
}

bool tree_text(char *text, size_t size, const char *root, const char *path)
{
    FILE *file = tree_open(root, path);
    if (!file)
        return false;
    size_t length = fread(text, 1, size - 1, file);
    const bool good = !ferror(file);
    fclose(file);
    if (length > 0 && text[length - 1] == '\n')
        length--;
    text[length] = 0;
    return good;
}

bool tree_number(uint64_t *number, const char *root, const char *path)
{
    char text[64], *end;
    if (!tree_text(text, sizeof(text), root, path))
        return false;
    errno = 0;
    *number = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
    return end != text && errno == 0;
}

bool tree_exists(const char *root, const char *path)
{
    char whole[PATH_SIZE];
    return tree_path(whole, sizeof(whole), root, path) && access(whole, F_OK) == 0;
}

uint64_t tree_bytes(const char *root, const char *path)
{
    char whole[PATH_SIZE];
    struct stat status;
    struct dirent *entry;
    uint64_t bytes = 0;
    DIR *directory = tree_path(whole, sizeof(whole), root, path) ? opendir(whole) : NULL;
    if (!directory)
        return 0;
    while ((entry = readdir(directory)))
        if (fstatat(dirfd(directory), entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
    closedir(directory);
    return bytes;
}

size_t tree_names(char (*names)[TREE_NAME_MAX], size_t most, const char *root, const char *path, const char *start)
{
    char whole[PATH_SIZE];
    struct dirent **entries;
    if (!tree_path(whole, sizeof(whole), root, path))
        return 0;
    const int nr_entries = scandir(whole, &entries, NULL, alphasort);
    if (nr_entries < 0)
        return 0;
    size_t count = 0;
    for (int i = 0; i < nr_entries; i++) {
        const char *name = entries[i]->d_name;
        if (count < most && name[0] != '.' && !strncmp(name, start, strlen(start)) && strlen(name) < TREE_NAME_MAX)
            strcpy(names[count++], name);
        free(entries[i]);
    }
    free(entries);
    return count;
}
