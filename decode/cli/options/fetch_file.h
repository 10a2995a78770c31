/* Files from a debuginfod server, by build ID: man 3 debuginfod_find_debuginfo. */
#ifndef DECODE_CLI_OPTIONS_FETCH_FILE_H
#define DECODE_CLI_OPTIONS_FETCH_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a debug file, or of the file itself, that was fetched from a server of DEBUGINFOD_URLS or is in the cache
 * of an earlier fetch; free() it. A message says what is fetched; name: whose file it is. NULL: no server has it, or
 * the variable is not set, or the tool was built without libdebuginfod. */
char *fetch_debug_file(const uint8_t *id, size_t id_size, const char *name);
char *fetch_file(const uint8_t *id, size_t id_size, const char *name);

#endif
