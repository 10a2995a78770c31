#include "decode/names/remembered.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/list.h"
#include "decode/capture/side_file.h"
#include "decode/names/build_id.h"

const char *remembered_kind_text(enum remembered_kind kind)
{
    static const char *const texts[REMEMBERED_NR_KINDS] = {
        [REMEMBERED_KERNEL] = "kernel", [REMEMBERED_SYMBOLS] = "symbols", [REMEMBERED_GIVEN] = "given",
        [REMEMBERED_FILE] = "file",     [REMEMBERED_DEBUG] = "debug",     [REMEMBERED_OTHER] = "other"};
    return texts[kind];
}

void remembered_free(struct remembered *remembered)
{
    for (size_t i = 0; i < remembered->count; i++)
        free(remembered->items[i].path);
    free(remembered->items);
    *remembered = (struct remembered){0};
}

static bool look_at(struct remembered_item *item, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    item->size = (uint64_t)status.st_size;
    item->time = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return true;
}

const struct remembered_item *remembered_next(const struct remembered *remembered, size_t *position,
                                              enum remembered_kind kind)
{
    while (*position < remembered->count) {
        const struct remembered_item *item = &remembered->items[(*position)++];
        if (item->kind == kind)
            return item;
    }
    return NULL;
}

bool remembered_is_same(const struct remembered_item *item)
{
    struct remembered_item now = {0};
    return look_at(&now, item->path) && now.size == item->size && now.time == item->time;
}

bool remembered_has(const struct remembered *remembered, enum remembered_kind kind, const char *path)
{
    char real[PATH_MAX];
    const struct remembered_item *item;
    if (!realpath(path, real))
        return false;
    for (size_t at = 0; (item = remembered_next(remembered, &at, kind));)
        if (!strcmp(item->path, real) && remembered_is_same(item))
            return true;
    return false;
}

static bool add_item(struct remembered *remembered, const struct remembered_item *item, const char *path)
{
    struct remembered_item *added =
        list_add((void **)&remembered->items, &remembered->count, &remembered->room, sizeof(*added));
    char *copy = strdup(path);
    if (added && copy) {
        *added = *item;
        added->path = copy;
        return true;
    }
    remembered->count -= added != NULL;
    free(copy);
    return false;
}

bool remembered_add(struct remembered *remembered, enum remembered_kind kind, const char *path, const uint8_t *id,
                    size_t id_size)
{
    struct remembered_item item = {.kind = kind};
    char real[PATH_MAX];
    if (!realpath(path, real) || strchr(real, '\n') || !look_at(&item, real))
        return true;
    for (size_t i = 0; i < remembered->count; i++)
        if (remembered->items[i].kind == kind && !strcmp(remembered->items[i].path, real))
            return true;
    if (id && id_size <= sizeof(item.id)) {
        memcpy(item.id, id, id_size);
        item.id_size = id_size;
    }
    return add_item(remembered, &item, real);
}

void remembered_drop(struct remembered *remembered, enum remembered_kind kind)
{
    size_t left = 0;
    for (size_t i = 0; i < remembered->count; i++)
        if (remembered->items[i].kind == kind)
            free(remembered->items[i].path);
        else
            remembered->items[left++] = remembered->items[i];
    remembered->count = left;
}

static bool take_kernel(struct remembered *remembered, const struct names *names, const struct names_options *searched)
{
    struct names_source source;
    if (searched->symbols) {
        remembered_drop(remembered, REMEMBERED_KERNEL);
        remembered_drop(remembered, REMEMBERED_SYMBOLS);
    }
    if (searched->symbols && !remembered_add(remembered, REMEMBERED_SYMBOLS, searched->symbols, NULL, 0))
        return false;
    if (!searched->kernel || !names_kernel_source(names, &source))
        return true;
    remembered_drop(remembered, REMEMBERED_KERNEL);
    if (!searched->symbols)
        remembered_drop(remembered, REMEMBERED_SYMBOLS);
    return remembered_add(remembered, REMEMBERED_KERNEL, source.path, source.id, source.id_size);
}

static bool take_files(struct remembered *remembered, const struct capture *capture, const struct names *names,
                       const struct names_options *searched)
{
    struct names_source source;
    size_t at = 0;
    if (searched->nr_files == 0 || !names_file_source(names, &at, &source))
        return true;
    remembered_drop(remembered, REMEMBERED_GIVEN);
    remembered_drop(remembered, REMEMBERED_FILE);
    bool good = true;
    for (size_t i = 0; good && i < searched->nr_files; i++)
        good = remembered_add(remembered, REMEMBERED_GIVEN, searched->files[i], NULL, 0);
    do
        good = good && remembered_add(remembered, REMEMBERED_FILE, source.path, source.id, source.id_size);
    while (names_file_source(names, &at, &source));
    remembered->events_size = capture->events_size;
    return good;
}

static bool take_debug(struct remembered *remembered, const struct names_options *searched)
{
    bool good = true;
    if (searched->nr_debug > 0)
        remembered_drop(remembered, REMEMBERED_DEBUG);
    for (size_t i = 0; good && i < searched->nr_debug; i++)
        good = remembered_add(remembered, REMEMBERED_DEBUG, searched->debug[i], NULL, 0);
    return good;
}

bool remembered_take(struct remembered *remembered, const struct capture *capture, const struct names *names,
                     const struct names_options *searched)
{
    return take_kernel(remembered, names, searched) && take_files(remembered, capture, names, searched) &&
           take_debug(remembered, searched);
}

/* --- the file --- */

/* One line: the kind, the size, the time, the build ID or "-", and the path. */
static void write_items(FILE *file, const struct remembered *remembered)
{
    fprintf(file, "capture %" PRIu64 "\n", remembered->events_size);
    for (size_t i = 0; i < remembered->count; i++) {
        const struct remembered_item *item = &remembered->items[i];
        char id[BUILD_ID_TEXT_SIZE] = "-";
        if (item->id_size)
            build_id_text(id, item->id, item->id_size);
        fprintf(file, "%s %" PRIu64 " %" PRIu64 " %s %s\n", remembered_kind_text(item->kind), item->size, item->time,
                id, item->path);
    }
}

static bool read_line(struct remembered *remembered, const char *line)
{
    struct remembered_item item = {0};
    char kind[16], id[BUILD_ID_TEXT_SIZE];
    int path = 0;
    if (sscanf(line, "capture %" SCNu64, &remembered->events_size) == 1)
        return true;
    if (sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %128s %n", kind, &item.size, &item.time, id, &path) != 4 ||
        line[path] != '/')
        return false;
    while (item.kind < REMEMBERED_NR_KINDS && strcmp(remembered_kind_text(item.kind), kind) != 0)
        item.kind++;
    item.id_size = build_id_parse(item.id, id);
    return item.kind < REMEMBERED_NR_KINDS && add_item(remembered, &item, line + path);
}

static FILE *open_file(const struct capture *capture)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof(path), "%s/" REMEMBERED_NAME, capture->directory);
    return length > 0 && (size_t)length < sizeof(path) ? fopen(path, "re") : NULL;
}

void remembered_read(struct remembered *remembered, const struct capture *capture)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    *remembered = (struct remembered){0};
    FILE *file = open_file(capture);
    if (!file)
        return;
    for (ssize_t length; good && (length = getline(&line, &room, file)) > 0;) {
        good = line[length - 1] == '\n' && !memchr(line, '\0', (size_t)length);
        line[length - 1] = '\0';
        good = good && read_line(remembered, line);
    }
    if (!good)
        remembered_free(remembered);
    free(line);
    fclose(file);
}

/* Does the file have these bytes already? */
static bool is_written(const struct capture *capture, const char *text, size_t size)
{
    struct capture_map map = {0};
    const bool same =
        side_file_map(&map, capture, REMEMBERED_NAME) && map.size == size && !memcmp(map.bytes, text, size);
    capture_unmap(&map);
    return same;
}

bool remembered_write(const struct remembered *remembered, const struct capture *capture)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    write_items(file, remembered);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good &&
           (is_written(capture, text, size) || side_file_write(capture, REMEMBERED_NAME, text, size));
    free(text);
    return good;
}

bool remembered_forget(const struct capture *capture)
{
    const int directory = open(capture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    const bool good = unlinkat(directory, REMEMBERED_NAME, 0) == 0 || errno == ENOENT;
    const int reason = errno;
    close(directory);
    errno = reason;
    return good;
}
