#include "decode/report/json.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/text.h"

void json_figure(FILE *file, const char *name, struct figure figure, const char *behind)
{
    if (figure.known)
        fprintf(file, "\"%s\": %" PRIu64 "%s", name, figure.value, behind);
    else
        fprintf(file, "\"%s\": null%s", name, behind);
}

void json_seconds(FILE *file, const char *name, double seconds, const char *behind)
{
    if (seconds >= 0)
        fprintf(file, "\"%s\": %.1f%s", name, seconds, behind);
    else
        fprintf(file, "\"%s\": null%s", name, behind);
}

void json_string(FILE *file, const char *name, const char *string, const char *behind)
{
    fprintf(file, "\"%s\": ", name);
    if (string)
        text_write_json(file, (struct record_text){string, strlen(string)});
    else
        fputs("null", file);
    fputs(behind, file);
}
