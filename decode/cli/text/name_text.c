#include "decode/cli/text/name_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *name_text(char text[NAME_TEXT_SIZE], const struct name *name, uint64_t address)
{
    int used = 0;
    text[0] = '\0';
    if (name->symbol)
        used = address > name->begin
                   ? snprintf(text, NAME_TEXT_SIZE, "%s+%#" PRIx64, name->shown, address - name->begin)
                   : snprintf(text, NAME_TEXT_SIZE, "%s", name->shown);
    if (name->object && used >= 0 && used < (int)NAME_TEXT_SIZE)
        snprintf(text + used, NAME_TEXT_SIZE - (size_t)used, "%s[%s]", used ? " " : "", name->object);
    return text;
}

const char *time_text(char text[TIME_TEXT_SIZE], const struct indexed_capture *indexed, uint64_t tsc)
{
    const double seconds = indexed_capture_seconds(indexed, tsc);
    if (seconds >= 0)
        snprintf(text, TIME_TEXT_SIZE, "%.9f", seconds);
    else if (tsc)
        snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 "t", tsc - indexed->index.header->first_tsc);
    else
        strcpy(text, "-");
    return text;
}
