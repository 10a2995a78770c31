#include "decode/report/json.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/text.h"

void json_figure(FILE *file, const char *name, struct figure figure, const char *after)
{
    if (figure.known)
        fprintf(file, "\"%s\": %" PRIu64 "%s", name, figure.value, after);
    else
        fprintf(file, "\"%s\": null%s", name, after);
}

void json_seconds(FILE *file, const char *name, double seconds, const char *after)
{
    if (seconds >= 0)
        fprintf(file, "\"%s\": %.1f%s", name, seconds, after);
    else
        fprintf(file, "\"%s\": null%s", name, after);
}

void json_string(FILE *file, const char *name, const char *string, const char *after)
{
    fprintf(file, "\"%s\": ", name);
    if (string)
        text_write_json(file, (struct record_text){string, strlen(string)});
    else
        fputs("null", file);
    fputs(after, file);
}
