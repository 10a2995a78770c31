/* Format: DynamoRIO's drcov log version 2, as drcov2lcov and Lighthouse read it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/export/formats.h"
#include "decode/profile/label.h"
#include "decode/report/number_text.h"

/* Blocks have 32 bits of an address, so code of no file is grouped into windows of this size. */
#define WINDOW (1ull << 32)
#define MOST_MODULES 65535u

struct module {
    const char *object; /* NULL: a window of addresses that begins at base */
    uint64_t base, end;
};

struct modules {
    struct module *items;
    size_t count, room;
};

struct __attribute__((packed)) block {
    uint32_t start;
    uint16_t size, module;
};

static bool is_same(const struct module *module, const struct edge *edge)
{
    const char *object = edge->name_from->object;
    if (!object || !module->object)
        return object == module->object && edge->from - module->base < WINDOW;
    return !strcmp(object, module->object);
}

/* The module of a file begins at the file's lowest address, rounded down. NULL: too many modules, or out of memory. */
static struct module *module_of(struct modules *modules, const struct edge *edge)
{
    for (size_t i = 0; i < modules->count; i++)
        if (is_same(&modules->items[i], edge))
            return &modules->items[i];
    if (modules->count == MOST_MODULES)
        return NULL;
    void *items = modules->items;
    struct module *module = list_add(&items, &modules->count, &modules->room, sizeof(*module));
    modules->items = items;
    if (!module)
        return NULL;
    *module = (struct module){edge->name_from->object, 0, 0};
    /* Blocks have offsets from base: those of a file are its own addresses, unless these are high. */
    module->base = edge->linked_from & ~(WINDOW / 2 - 1);
    if (!module->object)
        module->base = edge->from & ~(WINDOW - 1);
    return module;
}

static uint64_t begin_of(const struct edge *edge)
{
    return edge->name_from->object ? edge->linked_from : edge->from;
}

static bool fits(const struct module *module, const struct edge *edge)
{
    return begin_of(edge) - module->base < WINDOW;
}

static void write_modules(FILE *file, const struct modules *modules)
{
    fprintf(file,
            "DRCOV VERSION: 2\nDRCOV FLAVOR: undertrace\nModule Table: version 2, count %zu\n"
            "Columns: id, base, end, entry, checksum, timestamp, path\n",
            modules->count);
    for (size_t i = 0; i < modules->count; i++)
        fprintf(file, "%3zu, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, 0x%08x, 0x%08x, %s\n", i,
                modules->items[i].base, modules->items[i].end, 0u, 0u, 0u,
                modules->items[i].object ? modules->items[i].object : "[unknown]");
}

/* A block has at most 65535 bytes: longer code becomes several blocks. */
static uint64_t write_blocks(FILE *file, const struct modules *modules, const struct edge *edge, size_t module)
{
    uint64_t at = begin_of(edge) - modules->items[module].base, left = edge->to - edge->from, count = 0;
    while (left > 0) {
        const uint16_t size = left > UINT16_MAX ? UINT16_MAX : (uint16_t)left;
        const struct block block = {(uint32_t)at, size, (uint16_t)module};
        if (file)
            fwrite(&block, sizeof(block), 1, file);
        at += size;
        left -= size;
        count++;
    }
    return count;
}

static bool write_edges(FILE *file, const struct edges *edges, const struct export_job *job, struct error *error)
{
    char number[COUNTED_TEXT_SIZE];
    uint64_t blocks = 0;
    struct modules modules = {0};
    bool good = true;
    for (size_t i = 0; i < edges->used && good; i++) {
        const struct edge *edge = &edges->items[i];
        struct module *module = edge->kind == EDGE_RAN ? module_of(&modules, edge) : NULL;
        good = module || edge->kind != EDGE_RAN;
        if (!module || !fits(module, edge))
            continue;
        const uint64_t end = begin_of(edge) + (edge->to - edge->from);
        module->end = end > module->end ? end : module->end;
        blocks += write_blocks(NULL, &modules, edge, (size_t)(module - modules.items));
    }
    if (good) {
        write_modules(file, &modules);
        fprintf(file, "BB Table: %" PRIu64 " bbs\n", blocks);
    }
    for (size_t i = 0; i < edges->used && good; i++) {
        const struct edge *edge = &edges->items[i];
        const struct module *module = edge->kind == EDGE_RAN ? module_of(&modules, edge) : NULL;
        if (module && fits(module, edge))
            write_blocks(file, &modules, edge, (size_t)(module - modules.items));
    }
    free(modules.items);
    if (!good)
        return error_set(error, ERROR_MEMORY, 0, "code that ran");
    job->note("%s", counted_text(number, blocks, "block", "blocks"));
    return true;
}

const struct export_format format_drcov = {
    .name = "drcov",
    .readers = "Lighthouse, drcov2lcov: which code ran",
    .write_edges = write_edges,
};
