/* Files that commands keep beside a capture, in its directory: what they found out, to be read instead of found again.
 */
#ifndef DECODE_CAPTURE_SIDE_FILE_H
#define DECODE_CAPTURE_SIDE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/capture.h"

/* Map a file of the capture's directory. false: there is none, or it is empty. */
bool side_file_map(struct capture_map *map, const struct capture *capture, const char *name);

/* Write it under a temporary name and rename it, so that readers have either the old or the new one. false: errno says
 * why, and nothing has changed. */
bool side_file_write(const struct capture *capture, const char *name, const void *bytes, uint64_t size);

#endif
