/* Format: geninfo(1), "FILES". Functions that ran, and those of the same objects that did not. The line of a function
 * is that of the object's listing, which is written to the directory --sources. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/profile/label.h"

/* A known function, sorted by object and address. */
struct listed {
    const struct name *name;
    uint64_t calls;
    bool shares; /* another function of the object has the same name */
};

static int compare(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    const int objects = strcmp(label_object(a->name), label_object(b->name));
    if (objects != 0)
        return objects;
    return a->name->begin < b->name->begin ? -1 : a->name->begin > b->name->begin;
}

struct list {
    struct listed *items;
    struct name *kernel; /* names of the kernel's functions, owned by this list */
    size_t count;
};

/* List the functions that ran, and all of the kernel. false: out of memory. */
static bool list_all(struct list *list, const struct profile *profile, const struct names *names)
{
    struct name function;
    size_t nr_kernel = 0, nr_names = names_count(names);
    for (size_t at = 0; names_kernel_function(names, &at, &function);)
        nr_kernel++;
    *list = (struct list){.items = calloc(nr_names + nr_kernel + 1, sizeof(*list->items)),
                          .kernel = calloc(nr_kernel + 1, sizeof(*list->kernel)),
                          .count = nr_names + nr_kernel};
    if (!list->items || !list->kernel)
        return false;
    for (size_t i = 0; i < nr_names; i++)
        list->items[i].name = names_by_number(names, (uint32_t)i);
    for (size_t i = 0, at = 0; i < nr_kernel && names_kernel_function(names, &at, &list->kernel[i]); i++)
        list->items[nr_names + i].name = &list->kernel[i];
    for (size_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name)
            list->items[profile->nodes[i].name->number].calls += profile->nodes[i].calls;
    return true;
}

/* Merge duplicates: a function of the kernel that ran is in both lists. */
static void sort_list(struct list *list)
{
    size_t count = 0;
    qsort(list->items, list->count, sizeof(*list->items), compare);
    for (size_t i = 0; i < list->count; i++) {
        struct listed *last = count ? &list->items[count - 1] : NULL;
        if (last && compare(last, &list->items[i]) == 0)
            last->calls += list->items[i].calls;
        else
            list->items[count++] = list->items[i];
    }
    list->count = count;
}

/* By label, then by address. */
static int compare_labels(const void *left, const void *right)
{
    const struct listed *const *a = left, *const *b = right;
    char first[LABEL_SIZE], second[LABEL_SIZE];
    const int labels = strcmp(label_text(first, (*a)->name), label_text(second, (*b)->name));
    return labels ? labels : compare(*a, *b);
}

/* Find the functions of an object that share their names: static functions, parts of one. lcov 2 rejects a file in
 * which a function is defined twice, and lcov 1 counts it once. false: out of memory. */
static bool find_shared(struct listed *list, size_t count)
{
    struct listed **sorted = calloc(count + 1, sizeof(struct listed *));
    char text[2][LABEL_SIZE];
    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &list[i];
    qsort(sorted, count, sizeof(*sorted), compare_labels);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(label_text(text[0], sorted[i - 1]->name), label_text(text[1], sorted[i]->name)))
            sorted[i - 1]->shares = sorted[i]->shares = true;
    free(sorted);
    return true;
}

/* The function's label; with its address if others have the same one. */
static const char *own_label(char text[LABEL_SIZE], const struct listed *listed)
{
    static const size_t address_size = sizeof(" (0123456789abcdef)");
    label_text(text, listed->name);
    const size_t length = strlen(text), most = LABEL_SIZE - address_size;
    if (listed->shares)
        snprintf(text + (length < most ? length : most), address_size, " (%" PRIx64 ")", listed->name->begin);
    return text;
}

/* Path of an object's listing, whether it is written or not. */
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
        fprintf(file, "%016" PRIx64 " %s\n", list[i].name->begin, own_label(text, &list[i]));
    const bool bad = ferror(file);
    return (fclose(file) == 0 && !bad) || error_set(error, ERROR_CANNOT_WRITE, 0, "%s", path);
}

static void write_object(FILE *file, const char *path, const struct listed *list, size_t count)
{
    char text[LABEL_SIZE];
    size_t hit = 0;
    fprintf(file, "TN:\nSF:%s\n", path);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "FN:%zu,%s\n", i + 1, own_label(text, &list[i]));
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "FNDA:%" PRIu64 ",%s\n", list[i].calls, own_label(text, &list[i]));
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

static bool write_profile(FILE *file, const struct profile *profile, const struct export_job *job, struct error *error)
{
    const char *sources = job->sources;
    struct list list;
    char path[PATH_MAX];
    bool good = list_all(&list, profile, job->run->names) || error_set(error, ERROR_MEMORY, 0, "names");
    if (good)
        sort_list(&list);
    for (size_t begin = 0, end; begin < list.count && good; begin = end) {
        end = object_end(list.items, begin, list.count);
        listing_path(path, sources, list.items[begin].name);
        if (!(good = find_shared(list.items + begin, end - begin) || error_set(error, ERROR_MEMORY, 0, "names")))
            break;
        write_object(file, path, list.items + begin, end - begin);
        good = !sources || write_listing(path, list.items + begin, end - begin, error);
    }
    free(list.items);
    free(list.kernel);
    if (good && !sources)
        job->note("no listings written, as --sources DIR is not given: run genhtml with --ignore-errors source");
    return good;
}

const struct export_format format_lcov = {
    .name = "lcov",
    .readers = "genhtml: which functions ran",
    .options = EXPORT_OPTION_SOURCES,
    .write_profile = write_profile,
};
