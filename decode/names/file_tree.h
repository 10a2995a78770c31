/* The files of directories, in an order that is always the same. */
#ifndef DECODE_NAMES_FILE_TREE_H
#define DECODE_NAMES_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* Call for each file in and below the paths, which may be files themselves; once for each, however often it is linked
 * or its directory named. Symbolic links below them are not followed. What cannot be read is left out. false: the
 * function said so, which ends it, or there is no memory. */
bool file_tree_walk(const char *const *paths, size_t nr_paths, bool (*found)(void *context, const char *file),
                    void *context);

#endif
