#include "decode/export/perf_code.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/engine/flow.h"

#define FIRST_SIZE 4096u
#define KERNEL 0u
#define MOST_PAGES 1024u /* of a function: real functions are shorter, but code without a name may not be */

/* Kinds of recorded items, in the lowest bits of a key; the other bits are a process or an object. */
enum { SEEN_PAGE = 1, SEEN_NAME, SEEN_OBJECT_PAGE, SEEN_OBJECT_NAME, SEEN_MAPPING };

static size_t place_of(const struct perf_seen *seen, size_t size, uint64_t key, uint64_t number)
{
    size_t at = (size_t)((key * 0xff51afd7ed558ccdull ^ number) * 0x9e3779b97f4a7c15ull >> 20) & (size - 1);
    while (seen[at].key && (seen[at].key != key || seen[at].number != number))
        at = (at + 1) & (size - 1);
    return at;
}

static bool grow(struct perf_code *code)
{
    const size_t size = code->seen_size ? 2 * code->seen_size : FIRST_SIZE;
    struct perf_seen *more = calloc(size, sizeof(*more));
    if (!more)
        return false;
    for (size_t i = 0; i < code->seen_size; i++)
        if (code->seen[i].key)
            more[place_of(more, size, code->seen[i].key, code->seen[i].number)] = code->seen[i];
    free(code->seen);
    code->seen = more;
    code->seen_size = size;
    return true;
}

/* Is the item new? owner: a process, an object, or for mappings both. */
static bool is_new(struct perf_code *code, unsigned kind, uint64_t whose, uint64_t number)
{
    const uint64_t key = whose << 3 | kind;
    if (2 * code->nr_seen >= code->seen_size && !grow(code)) {
        code->no_memory = true;
        return false;
    }
    const size_t at = place_of(code->seen, code->seen_size, key, number);
    if (code->seen[at].key)
        return false;
    code->seen[at] = (struct perf_seen){key, number};
    code->nr_seen++;
    return true;
}

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

/* Returns KERNEL if memory is exhausted, which is noted. */
static uint32_t object_of(struct perf_code *code, uint32_t process, const char *name)
{
    const uint32_t whose = name ? PERF_ALL_PROCESSES : process;
    for (size_t i = KERNEL + 1; i < code->nr_objects; i++)
        if (code->objects[i].process == whose && code->objects[i].name == name)
            return (uint32_t)i;
    void *items = code->objects;
    struct perf_object *object = list_add(&items, &code->nr_objects, &code->objects_room, sizeof(*object));
    code->objects = items;
    if (!object) {
        code->no_memory = true;
        return KERNEL;
    }
    *object = (struct perf_object){.name = name, .process = whose};
    return (uint32_t)code->nr_objects - 1;
}

/* The pages of a CPU are freed after its trace was decoded; their bytes belong to the capture. */
static struct page_record *copy_of(const struct page_record *page)
{
    struct page_record *copy = malloc(sizeof(*copy));
    if (copy)
        *copy = *page;
    return copy;
}

static void add_page(struct perf_code *code, uint32_t number, uint64_t gva, const struct page_record *page)
{
    struct code_image *image = &code->objects[number].image;
    void *items = image->pages;
    struct code_image_page *place = list_add(&items, &image->nr_pages, &image->room, sizeof(*place));
    image->pages = items;
    if (place)
        *place = (struct code_image_page){gva, copy_of(page)};
    code->no_memory |= !place || !place->page;
}

static void add_mapping(struct perf_code *code, const struct perf_place *place, uint32_t object, uint64_t moved)
{
    void *items = code->mappings;
    struct perf_mapping *mapping = list_add(&items, &code->nr_mappings, &code->mappings_room, sizeof(*mapping));
    code->mappings = items;
    if (mapping)
        *mapping = (struct perf_mapping){place->process, object, moved, place->time};
    else
        code->no_memory = true;
}

/* Record the page at an address of a process, in the object that its name gives. */
static void take_page(struct perf_code *code, const struct perf_place *place, uint64_t gva, const char *name)
{
    const uint64_t space =
        place->cr3 == FLOW_CR3_UNKNOWN ? CODE_SPACE_UNKNOWN : code_pages_space(place->pages, place->cr3);
    if (!is_new(code, SEEN_PAGE, is_kernel(gva) ? PERF_ALL_PROCESSES : place->process, gva))
        return;
    const struct code_found found = code_pages_find(place->pages, space, place->at, gva);
    if (!found.page)
        return;
    const uint64_t linked =
        is_kernel(gva) || !name ? gva : names_linked(code->names, place->pages, place->cr3, place->at, gva);
    const uint32_t object = is_kernel(gva) ? KERNEL : object_of(code, place->process, name);
    if (is_new(code, SEEN_OBJECT_PAGE, object, linked))
        add_page(code, object, linked, found.page);
    if (object != KERNEL && is_new(code, SEEN_MAPPING, (uint64_t)object << 32 | place->process, gva - linked))
        add_mapping(code, place, object, gva - linked);
}

/* Record a function at its address in the object's file. */
static void take_symbol(struct perf_code *code, const struct perf_place *place, const struct name *name)
{
    const uint32_t number = is_kernel(name->begin) ? KERNEL : object_of(code, place->process, name->object);
    const uint64_t linked = number == KERNEL || !name->object
                                ? name->begin
                                : names_linked(code->names, place->pages, place->cr3, place->at, name->begin);
    if (!is_new(code, SEEN_OBJECT_NAME, number, linked))
        return;
    struct perf_object *object = &code->objects[number];
    void *items = object->symbols;
    struct name *symbol = list_add(&items, &object->nr_symbols, &object->symbols_room, sizeof(*symbol));
    object->symbols = items;
    if (!symbol) {
        code->no_memory = true;
        return;
    }
    *symbol = *name;
    symbol->begin = linked;
    symbol->end = linked + (name->end - name->begin);
}

void perf_code_open(struct perf_code *code, struct names *names)
{
    *code = (struct perf_code){.names = names};
    void *items = NULL;
    struct perf_object *kernel = list_add(&items, &code->nr_objects, &code->objects_room, sizeof(*kernel));
    code->objects = items;
    code->no_memory = kernel == NULL;
    if (kernel)
        *kernel = (struct perf_object){.process = PERF_ALL_PROCESSES};
}

void perf_code_take(struct perf_code *code, const struct perf_place *place, uint64_t address, const struct name *name)
{
    const uint64_t mask = ~(uint64_t)(RECORD_PAGE_SIZE - 1);
    if (code->no_memory)
        return;
    take_page(code, place, address & mask, name->object);
    if (!name->symbol || !is_new(code, SEEN_NAME, place->process, name->number))
        return;
    take_symbol(code, place, name);
    for (uint64_t gva = name->begin & mask, i = 0; gva < name->end && i < MOST_PAGES; gva += RECORD_PAGE_SIZE, i++)
        take_page(code, place, gva, name->object);
}

static int compare_pages(const void *left, const void *right)
{
    const struct code_image_page *a = left, *b = right;
    return a->gva < b->gva ? -1 : a->gva > b->gva;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

bool perf_code_end(struct perf_code *code)
{
    for (size_t i = 0; i < code->nr_objects && !code->no_memory; i++) {
        struct perf_object *object = &code->objects[i];
        struct code_image *image = &object->image;
        if (image->nr_pages > 0)
            qsort(image->pages, image->nr_pages, sizeof(*image->pages), compare_pages);
        if (object->nr_symbols > 0)
            qsort(object->symbols, object->nr_symbols, sizeof(*object->symbols), compare_symbols);
        image->symbols = calloc(object->nr_symbols + 1, sizeof(struct name *));
        code->no_memory = image->symbols == NULL;
        for (size_t k = 0; k < object->nr_symbols && image->symbols; k++)
            image->symbols[image->nr_symbols++] = &object->symbols[k];
    }
    return !code->no_memory;
}

void perf_code_free(struct perf_code *code)
{
    for (size_t i = 0; i < code->nr_objects; i++) {
        struct code_image *image = &code->objects[i].image;
        for (size_t k = 0; k < image->nr_pages; k++)
            free((void *)(uintptr_t)image->pages[k].page);
        code_image_free(image);
        free(code->objects[i].symbols);
    }
    free(code->objects);
    free(code->mappings);
    free(code->seen);
    *code = (struct perf_code){0};
}
