/* Kind: shell, init */
#include "boot/efi/load.h"

#include <string.h>

#include "base/bytes.h"
#include "base/phys.h"
#include "boot/efi/firmware.h"
#include "boot/efi/path.h"

#define OPTIONS_FILE "undertrace.cfg"
#define PATH_SIZE 4096u

static const uint8_t *loaded_image(uint64_t image_handle)
{
    const uint64_t interface = firmware_handle_protocol(image_handle, &EFI_LOADED_IMAGE);

    return interface ? phys_to_virt(interface) : NULL;
}

/* A function of a file, or of the volume itself. */
static uint64_t file_function(uint64_t file, unsigned offset)
{
    return read64((const uint8_t *)phys_to_virt(file) + offset);
}

/* The root folder of the device; 0: it has no file system that the firmware knows. */
static uint64_t open_volume(uint64_t device)
{
    struct efi_area *area = firmware_area();
    const uint64_t volume = device ? firmware_handle_protocol(device, &EFI_SIMPLE_FILE_SYSTEM) : 0;

    area->result = 0;
    if (!volume || firmware_call(file_function(volume, VOLUME_OPEN), volume, firmware_pa(&area->result)))
        return 0;
    return area->result;
}

/* Read the file whose path is at area->buffer to the buffer after it. Returns its bytes; at most size are read. */
static uint64_t read_file(uint64_t root, uint64_t size)
{
    struct efi_area *area = firmware_area();

    area->result = 0;
    if (firmware_call(file_function(root, FILE_OPEN), root, firmware_pa(&area->result), firmware_pa(area->buffer),
                      FILE_MODE_READ, 0))
        return 0;
    const uint64_t file = area->result;
    area->size = size;
    const uint64_t status = firmware_call(file_function(file, FILE_READ), file, firmware_pa(&area->size),
                                          firmware_pa(area->buffer + PATH_SIZE));
    firmware_call(file_function(file, FILE_CLOSE), file);
    return status ? 0 : area->size;
}

/* Words with one space between them; a # begins a comment, up to the end of its line. */
static void text_of_file(char *text, const uint8_t *bytes, uint64_t nr)
{
    bool comment = false, space = false;
    size_t used = 0;

    for (uint64_t i = 0; i < nr; i++) {
        const uint8_t c = bytes[i];
        comment = (comment || c == '#') && c != '\n';
        if (comment || c <= ' ') {
            space = used != 0;
            continue;
        }
        if (space)
            text[used++] = ' ';
        text[used++] = c < 0x7f ? (char)c : '?';
        space = false;
    }
    text[used] = 0;
}

const char *load_options_file(char *text, size_t size, uint64_t image_handle)
{
    struct efi_area *area = firmware_area();
    const uint8_t *image = loaded_image(image_handle);

    *text = 0;
    if (!image || read64(image + LOADED_IMAGE_FILE_PATH) == 0)
        return NULL;
    const uint64_t root = open_volume(read64(image + LOADED_IMAGE_DEVICE));
    if (!root)
        return NULL;
    uint64_t nr = 0;
    if (path_beside(area->buffer, PATH_SIZE, phys_to_virt(read64(image + LOADED_IMAGE_FILE_PATH)), OPTIONS_FILE))
        nr = read_file(root, size);
    firmware_call(file_function(root, FILE_CLOSE), root);
    if (nr >= size)
        return OPTIONS_FILE " is too long";
    text_of_file(text, area->buffer + PATH_SIZE, nr);
    return NULL;
}

uint64_t load_image(const char *path, size_t length, uint64_t image_handle)
{
    struct efi_area *area = firmware_area();
    const uint8_t *image = loaded_image(image_handle);
    const uint64_t device = image ? read64(image + LOADED_IMAGE_DEVICE) : 0;
    const uint64_t nodes = device ? firmware_handle_protocol(device, &EFI_DEVICE_PATH) : 0;

    if (!nodes || path_of_file(area->buffer, sizeof area->buffer, phys_to_virt(nodes), path, length) == 0)
        return EFI_UNSUPPORTED;
    area->result = 0;
    const uint64_t status =
        firmware_boot(BOOT_LOAD_IMAGE, 0, image_handle, firmware_pa(area->buffer), 0, 0, firmware_pa(&area->result));
    if (status)
        return status;
    area->loaded = area->result;
    area->start_image = firmware_service(BOOT_START_IMAGE);
    return EFI_SUCCESS;
}
