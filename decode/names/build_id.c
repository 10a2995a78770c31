#include "decode/names/build_id.h"

#include <stdio.h>
#include <string.h>

const char *build_id_text(char text[BUILD_ID_TEXT_SIZE], const uint8_t *id, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

size_t build_id_parse(uint8_t id[BUILD_ID_SIZE], const char *text)
{
    const size_t length = strlen(text);
    if (length % 2 || length / 2 > BUILD_ID_SIZE || strspn(text, "0123456789abcdef") != length)
        return 0;
    for (size_t i = 0; i < length / 2; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        id[i] = (uint8_t)byte;
    }
    return length / 2;
}

char *build_id_path(const char *directory, const uint8_t *id, size_t size, const char *ending)
{
    char text[BUILD_ID_TEXT_SIZE], *path = NULL;
    if (size < 2 || size > BUILD_ID_SIZE)
        return NULL;
    build_id_text(text, id, size);
    return asprintf(&path, "%s/.build-id/%.2s/%s%s", directory, text, text + 2, ending) < 0 ? NULL : path;
}
