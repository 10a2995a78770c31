/* The files in and below directories, in a fixed order. */
#ifndef DECODE_NAMES_FILE_TREE_H
#define DECODE_NAMES_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Call found() for each regular file in and below the paths, which may be files themselves. Each file is found once,
 * even if it has several links or its directory is given twice. Symbolic links below the paths are not followed. What
 * cannot be read is left out. If found() returns false, the walk ends. false: it did, or out of memory. */
bool file_tree_walk(const char *const *paths, size_t nr_paths, bool (*found)(void *context, const char *file),
                    void *context);

#endif
