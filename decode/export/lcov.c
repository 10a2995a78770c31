/* Source: geninfo(1), "FILES". */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/export/label.h"

/* All functions that are known, by object and address. */
struct listed {
    const struct name *name;
    uint64_t calls;
};

static int compare(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    const int objects = strcmp(label_object(a->name), label_object(b->name));
    if (objects != 0)
        return objects;
    return a->name->begin < b->name->begin ? -1 : a->name->begin > b->name->begin;
}

/* NULL: no memory. */
static struct listed *list_all(const struct names *names, size_t *count)
{
    struct listed *all = calloc(names_count(names) + 1, sizeof(*all));
    *count = all ? names_count(names) : 0;
    for (size_t i = 0; i < *count; i++)
        all[i].name = names_by_number(names, (uint32_t)i);
    return all;
}

/* Where the listing of an object stands, or would. */
static void listing_path(char path[PATH_MAX], const char *sources, const struct name *name)
{
    const int length = snprintf(path, PATH_MAX, "%s%s", sources ? sources : "", sources ? "/" : "");
    const size_t begin = length > 0 && length < PATH_MAX ? (size_t)length : 0;
    snprintf(path + begin, PATH_MAX - begin, "%s.functions", label_object(name));
    for (size_t i = begin; path[i]; i++)
        path[i] = path[i] == '/' ? '_' : path[i];
}

static bool write_listing(const char *path, const struct listed *list, size_t count, struct error *error)
{
    char text[LABEL_SIZE];
    FILE *file = fopen(path, "we");
    if (!file)
        return error_set(error, ERROR_CANNOT_MAKE, 0, "%s", path);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%016" PRIx64 " %s\n", list[i].name->begin, label_text(text, list[i].name));
    const bool bad = ferror(file);
    return (fclose(file) == 0 && !bad) || error_set(error, ERROR_CANNOT_WRITE, 0, "%s", path);
}

static void write_object(FILE *file, const char *path, const struct listed *list, size_t count)
{
    char text[LABEL_SIZE];
    size_t hit = 0;
    fprintf(file, "TN:\nSF:%s\n", path);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "FN:%zu,%s\n", i + 1, label_text(text, list[i].name));
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "FNDA:%" PRIu64 ",%s\n", list[i].calls, label_text(text, list[i].name));
        hit += list[i].calls > 0;
    }
    fprintf(file, "FNF:%zu\nFNH:%zu\n", count, hit);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "DA:%zu,%" PRIu64 "\n", i + 1, list[i].calls);
    fprintf(file, "LF:%zu\nLH:%zu\nend_of_record\n", count, hit);
}

static size_t object_end(const struct listed *all, size_t begin, size_t count)
{
    size_t end = begin;
    while (end < count && !strcmp(label_object(all[end].name), label_object(all[begin].name)))
        end++;
    return end;
}

bool lcov_write(FILE *file, const struct profile *profile, const struct names *names, const char *sources,
                struct error *error)
{
    size_t count;
    char path[PATH_MAX];
    bool good = true;
    struct listed *all = list_all(names, &count);
    if (!all)
        return error_set(error, ERROR_MEMORY, 0, "names");
    for (size_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name)
            all[profile->nodes[i].name->number].calls += profile->nodes[i].calls;
    qsort(all, count, sizeof(*all), compare);
    for (size_t begin = 0, end; begin < count && good; begin = end) {
        end = object_end(all, begin, count);
        listing_path(path, sources, all[begin].name);
        write_object(file, path, all + begin, end - begin);
        good = !sources || write_listing(path, all + begin, end - begin, error);
    }
    free(all);
    return good;
}
