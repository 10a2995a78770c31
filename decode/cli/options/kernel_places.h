/* Where kernels' images usually are. */
#ifndef DECODE_CLI_OPTIONS_KERNEL_PLACES_H
#define DECODE_CLI_OPTIONS_KERNEL_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* Directories, separated by colons, in place of the usual ones. */
#define KERNEL_PLACES_VARIABLE "UNDERTRACE_KERNELS"

struct kernel_places {
    char **paths;
    size_t count, room;
};

/* Add a copy of a path. false: out of memory. */
bool kernel_places_add(struct kernel_places *places, const char *path);

/* Add all images that are in these directories. false: out of memory. */
bool kernel_places_find(struct kernel_places *places);
void kernel_places_free(struct kernel_places *places);

#endif
