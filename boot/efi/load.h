/* Files on the device that our image was loaded from: the options beside it, and the loader that load= names. */
#ifndef BOOT_EFI_LOAD_H
#define BOOT_EFI_LOAD_H

#include <stddef.h>
#include <stdint.h>

/* Read the text of undertrace.cfg, in the folder of our image, to text, of size bytes, with a NUL: "" if there is no
 * such file. NULL: done; else why not. */
const char *load_options_file(char *text, size_t size, uint64_t image_handle);

/* Have the firmware load the image at path, of length characters; efi_resume starts it. Returns the firmware's status.
 */
uint64_t load_image(const char *path, size_t length, uint64_t image_handle);

#endif
