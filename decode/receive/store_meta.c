#include "decode/receive/store_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define META_NAME "meta.json"
#define META_TEMPORARY ".meta.json.part"

/* Decimal numbers that a double holds exactly are numbers, all else is a string. */
static bool is_json_number(struct record_text text)
{
    if (text.size == 0 || text.size > 15 || (text.bytes[0] == '0' && text.size > 1))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return true;
}

/* Fields of an object, with a comma before each but the first. */
static void write_fields(FILE *file, struct record_text text, const char *comma, const char *indent)
{
    struct text_line line;
    size_t position = 0;
    while (text_next(&line, text, &position)) {
        fprintf(file, "%s\n%s", comma, indent);
        text_write_json(file, line.name);
        fputs(": ", file);
        if (is_json_number(line.value))
            fprintf(file, "%.*s", (int)line.value.size, line.value.bytes);
        else
            text_write_json(file, line.value);
        comma = ",";
    }
}

static void write_object(FILE *file, struct record_text text, const char *indent, const char *behind)
{
    fputs("{", file);
    write_fields(file, text, "", indent);
    fputs(behind, file);
}

static void write_meta(FILE *file, struct record_text hello, const struct record_text *ends, unsigned nr_ends)
{
    fputs("{\n  \"capture_format\": 1", file);
    write_fields(file, hello, ",", "  ");
    fputs(",\n  \"end\": ", file);
    if (nr_ends == 0) {
        fputs("null\n}\n", file);
        return;
    }
    write_object(file, ends[0], "    ", "\n  }");
    for (unsigned i = 0; i < nr_ends && nr_ends > 1; i++) {
        fputs(i == 0 ? ",\n  \"ends\": [\n    " : ",\n    ", file);
        write_object(file, ends[i], "      ", "\n    }");
    }
    fputs(nr_ends > 1 ? "\n  ]\n}\n" : "\n}\n", file);
}

bool store_meta_write(int directory, const char *directory_name, struct record_text hello,
                      const struct record_text *ends, unsigned nr_ends, struct error *error)
{
    int fd = openat(directory, META_TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        error_set(error, ERROR_CANNOT_WRITE, 0, "%s/%s", directory_name, META_TEMPORARY);
        if (fd >= 0)
            close(fd);
        return false;
    }
    write_meta(file, hello, ends, nr_ends);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good || renameat(directory, META_TEMPORARY, directory, META_NAME) != 0)
        return error_set(error, ERROR_CANNOT_WRITE, 0, "%s/%s", directory_name, META_NAME);
    return true;
}
