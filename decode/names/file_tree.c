#include "decode/names/file_tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/capture/list.h"

#define DEEPEST 64u

struct file_id {
    dev_t device;
    ino_t inode;
};

struct walk {
    bool (*found)(void *context, const char *file);
    void *context;
    struct file_id *seen; /* files with several links */
    size_t count, room;
};

static bool walk_path(struct walk *walk, const char *path, unsigned depth);

/* Was the file found through another link? */
static bool was_seen(struct walk *walk, const struct stat *status)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->seen[i].device == status->st_dev && walk->seen[i].inode == status->st_ino)
            return true;
    struct file_id *id = list_add((void **)&walk->seen, &walk->count, &walk->room, sizeof(*id));
    if (id)
        *id = (struct file_id){status->st_dev, status->st_ino};
    return false;
}

static bool walk_directory(struct walk *walk, const char *path, unsigned depth)
{
    struct dirent **entries = NULL;
    bool good = true;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *below = NULL;
        if (good && strcmp(name, ".") && strcmp(name, ".."))
            good = asprintf(&below, "%s/%s", path, name) >= 0 && walk_path(walk, below, depth + 1);
        free(below);
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool walk_path(struct walk *walk, const char *path, unsigned depth)
{
    struct stat status;
    if (depth > DEEPEST || lstat(path, &status) != 0)
        return true;
    if (S_ISDIR(status.st_mode))
        return walk_directory(walk, path, depth);
    if (!S_ISREG(status.st_mode) || (status.st_nlink > 1 && was_seen(walk, &status)))
        return true;
    return walk->found(walk->context, path);
}

/* Does the path equal an earlier one, or lie below another? */
static bool is_covered(char *const *paths, size_t count, size_t which)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = paths[i] ? strlen(paths[i]) : 0;
        if (i == which || !length || strncmp(paths[i], paths[which], length) != 0)
            continue;
        const char next = paths[which][length];
        if (next == '/' || (length == 1 && next) || (next == '\0' && i < which))
            return true;
    }
    return false;
}

bool file_tree_walk(const char *const *paths, size_t nr_paths, bool (*found)(void *context, const char *file),
                    void *context)
{
    struct walk walk = {.found = found, .context = context};
    char **real = calloc(nr_paths + 1, sizeof(*real));
    bool good = real;
    for (size_t i = 0; real && i < nr_paths; i++)
        real[i] = realpath(paths[i], NULL);
    for (size_t i = 0; good && i < nr_paths; i++)
        if (real[i] && !is_covered(real, nr_paths, i))
            good = walk_path(&walk, real[i], 0);
    for (size_t i = 0; real && i < nr_paths; i++)
        free(real[i]);
    free(real);
    free(walk.seen);
    return good;
}
