#include "decode/receive/store_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/capture/capture.h"

#define META_NAME "meta.json"
#define META_TEMPORARY ".meta.json.part"

static void write_object(FILE *file, struct record_text text, const char *indent, const char *end)
{
    fputs("{", file);
    text_write_json_fields(file, text, "", indent);
    fputs(end, file);
}

static void write_meta(FILE *file, struct record_text hello, const struct record_text *ends, unsigned nr_ends)
{
    fprintf(file, "{\n  \"capture_format\": %u", CAPTURE_FORMAT);
    text_write_json_fields(file, hello, ",", "  ");
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

static bool write_file(int directory, const char *bytes, size_t size)
{
    int fd = openat(directory, META_TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t at = 0;
    while (fd >= 0 && at < size) {
        ssize_t done = write(fd, bytes + at, size - at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        at += (size_t)done;
    }
    int reason = errno;
    bool good = fd >= 0 && close(fd) == 0;
    errno = reason;
    return good && at == size;
}

bool store_meta_write(struct store_file *checksums, struct record_text hello, const struct record_text *ends,
                      unsigned nr_ends)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&bytes, &size);
    if (text)
        write_meta(text, hello, ends, nr_ends);
    bool good = text && fclose(text) == 0;
    while (good && !write_file(checksums->directory, bytes, size))
        good = store_waits(checksums->waiter);
    good = good && store_file_sum(checksums, CHECKSUM_META, 0, 0, bytes, size) && store_file_flush(checksums) &&
           renameat(checksums->directory, META_TEMPORARY, checksums->directory, META_NAME) == 0;
    if (!good)
        error_set(checksums->error, ERROR_CANNOT_WRITE, 0, "%s/%s", checksums->directory_name, META_NAME);
    free(bytes);
    return good;
}
