/* JSON strings for a script element, which "</" would end. */
#include <string.h>

#include "decode/page/page_state.h"

void page_write_bytes(FILE *file, const char *bytes, size_t size)
{
    fputc('"', file);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c >= 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

void page_write_text(FILE *file, const char *text)
{
    if (text)
        page_write_bytes(file, text, strlen(text));
    else
        fputs("null", file);
}
