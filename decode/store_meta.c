#include "decode/store_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "decode/message.h"

#define META_NAME "meta.json"
#define META_TEMPORARY ".meta.json.part"

/* Decimal numbers that a double holds exactly are numbers, all else is a string. */
static bool is_json_number(struct text text)
{
    if (text.size == 0 || text.size > 15 || (text.bytes[0] == '0' && text.size > 1))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return true;
}

static void write_fields(FILE *file, struct text hello)
{
    struct text_line line;
    size_t position = 0;
    fputs("{\n  \"capture_format\": 1", file);
    while (text_next(&line, hello, &position)) {
        fputs(",\n  ", file);
        text_write_json(file, line.name);
        fputs(": ", file);
        if (is_json_number(line.value))
            fprintf(file, "%.*s", (int)line.value.size, line.value.bytes);
        else
            text_write_json(file, line.value);
    }
    fputs("\n}\n", file);
}

bool store_meta_write(int directory, const char *directory_name, struct text hello)
{
    int fd = openat(directory, META_TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        message_errno("%s/%s: cannot be written", directory_name, META_TEMPORARY);
        if (fd >= 0)
            close(fd);
        return false;
    }
    write_fields(file, hello);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good || renameat(directory, META_TEMPORARY, directory, META_NAME) != 0) {
        message_errno("%s/%s: cannot be written", directory_name, META_NAME);
        return false;
    }
    return true;
}
