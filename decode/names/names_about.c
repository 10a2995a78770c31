/* The lines that summarise which names were found. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/names/names_state.h"

bool names_add_line(struct names *names, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    char **line =
        length >= 0 ? list_add((void **)&names->about, &names->nr_about, &names->about_room, sizeof(*line)) : NULL;
    if (line)
        *line = text;
    else if (length >= 0)
        free(text);
    return line;
}

const char *names_about(const struct names *names, size_t line)
{
    return line < names->nr_about ? names->about[line] : NULL;
}
