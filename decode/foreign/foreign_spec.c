/* Images as they are written on the command line. */
#include <stdlib.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/foreign/foreign_image.h"
#include "decode/foreign/foreign_spec.h"

#define DUMP_DIGITS 16u

/* A number of exactly length characters: decimal, hexadecimal after 0x, or the 16 digits that dump prints. */
static bool is_number(uint64_t *number, const char *text, size_t length)
{
    char digits[DUMP_DIGITS + 1] = {0};
    if (length == DUMP_DIGITS && strspn(text, "0123456789abcdefABCDEF") >= length) {
        memcpy(digits, text, length);
        *number = strtoull(digits, NULL, 16);
        return true;
    }
    return length > 0 && text_number(number, (struct record_text){text, length});
}

/* OFFSET or OFFSET-END. false: it is neither, and spec is unchanged. */
static bool is_part(struct foreign_spec *spec, const char *text, size_t length)
{
    const char *minus = memchr(text, '-', length);
    const size_t first = minus ? (size_t)(minus - text) : length;
    uint64_t offset, end = UINT64_MAX;
    if (!is_number(&offset, text, first) ||
        (minus && (!is_number(&end, minus + 1, length - first - 1) || end <= offset)))
        return false;
    spec->offset = offset;
    spec->end = end;
    return true;
}

static const char *find_last(const char *text, size_t length, char letter)
{
    while (length > 0)
        if (text[--length] == letter)
            return text + length;
    return NULL;
}

bool foreign_spec_read(struct foreign_spec *spec, const char *text)
{
    *spec = (struct foreign_spec){.end = UINT64_MAX, .name_size = strlen(text)};
    const char *at = strrchr(text, '@'), *colon = strrchr(text, ':');
    const char *last = at && (!colon || at > colon) ? at : colon;
    if (!last || !is_number(&spec->gva, last + 1, strlen(last + 1)))
        return true;
    spec->placed = true;
    spec->name_size = (size_t)(last - text);
    const char *part = *last == ':' ? find_last(text, spec->name_size, ':') : NULL;
    if (part && is_part(spec, part + 1, (size_t)(last - part) - 1))
        spec->name_size = (size_t)(part - text);
    return spec->name_size > 0;
}

void foreign_spec_part(struct foreign_spec *spec, const char *text)
{
    *spec = (struct foreign_spec){.end = UINT64_MAX, .name_size = strlen(text)};
    const char *colon = strrchr(text, ':');
    if (colon && is_part(spec, colon + 1, strlen(colon + 1)))
        spec->name_size = (size_t)(colon - text);
}

char *foreign_spec_name(const struct foreign_spec *spec, const char *text, struct error *error)
{
    char *name = strndup(text, spec->name_size);
    if (!name)
        error_set(error, ERROR_MEMORY, 0, "%s", text);
    return name;
}

bool foreign_image_add(struct foreign_image *image, const char *text, struct error *error)
{
    struct foreign_spec spec;
    if (!foreign_spec_read(&spec, text) || !spec.placed)
        return error_set(error, ERROR_IMAGE_SPEC, 0, "%s", text);
    char *name = foreign_spec_name(&spec, text, error);
    bool good = name && foreign_image_add_file(image, name, error);
    if (good) {
        const uint64_t size = image->files[image->nr_files - 1].size;
        const uint64_t end = spec.end == UINT64_MAX ? size : spec.end;
        good =
            end >= spec.offset
                ? foreign_image_add_piece(
                      image, (struct foreign_piece){.gva = spec.gva, .size = end - spec.offset, .offset = spec.offset},
                      name, error)
                : error_set(error, ERROR_IMAGE_SHORT, size, "%s", name);
    }
    free(name);
    return good;
}
