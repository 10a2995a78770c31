/* Paths of files on the device that our image was loaded from. Core. */
#ifndef BOOT_EFI_PATH_H
#define BOOT_EFI_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file beside the one that the device path at nodes names: its folder and name, in UCS-2 with a NUL. size: of out
 * in bytes. false: the path is invalid, or too long. */
bool path_beside(uint8_t *out, size_t size, const uint8_t *nodes, const char *name);

/* The device path of a file: that of its device, then the file's path, of length characters; / counts as \. Returns its
 * bytes, 0: the device's path is invalid, or out is too small. */
size_t path_of_file(uint8_t *out, size_t size, const uint8_t *device, const char *path, size_t length);

#endif
