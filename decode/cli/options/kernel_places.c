#include "decode/cli/options/kernel_places.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

/* Of Debian's, Fedora's and Arch's packages, and of a kernel that was built on this machine. */
static const char *const usual[] = {"/boot/vmlinuz*",
                                    "/boot/vmlinux*",
                                    "/lib/modules/*/vmlinuz",
                                    "/lib/modules/*/build/vmlinux",
                                    "/usr/lib/debug/boot/vmlinu[xz]*",
                                    "/usr/lib/debug/lib/modules/*/vmlinux"};

bool kernel_places_add(struct kernel_places *places, const char *path)
{
    char *copy = strdup(path);
    char **place = copy ? list_add((void **)&places->paths, &places->count, &places->room, sizeof(*place)) : NULL;
    if (place)
        *place = copy;
    else
        free(copy);
    return place;
}

static bool find(struct kernel_places *places, const char *pattern)
{
    glob_t found = {0};
    bool good = glob(pattern, 0, NULL, &found) != GLOB_NOSPACE;
    for (size_t i = 0; good && i < found.gl_pathc; i++)
        good = kernel_places_add(places, found.gl_pathv[i]);
    globfree(&found);
    return good;
}

static bool find_in(struct kernel_places *places, const char *directories)
{
    bool good = true;
    while (good && *directories) {
        const int length = (int)strcspn(directories, ":");
        char *pattern = NULL;
        if (length > 0)
            good = asprintf(&pattern, "%.*s/vmlinu[xz]*", length, directories) >= 0 && find(places, pattern);
        free(pattern);
        directories += (size_t)length + (directories[length] == ':');
    }
    return good;
}

bool kernel_places_find(struct kernel_places *places)
{
    const char *own = getenv(KERNEL_PLACES_VARIABLE);
    if (own)
        return find_in(places, own);
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (!find(places, usual[i]))
            return false;
    return true;
}

void kernel_places_free(struct kernel_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->paths[i]);
    free(places->paths);
    *places = (struct kernel_places){0};
}
