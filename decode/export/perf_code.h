/*
 * The code that samples of perf stand in: which pages each process had where, of which object, with which functions.
 * perf is given it as ELF files that hold what was captured, so it needs no file of the guest. The kernel's half is one
 * for all. Pure but for writing.
 */
#ifndef DECODE_EXPORT_PERF_CODE_H
#define DECODE_EXPORT_PERF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/export/perf_data.h"
#include "decode/names/names.h"
#include "decode/query/code_image.h"

/* Pages by the addresses that the object's file has, or where nobody knows the file, by those of the process. */
struct perf_object {
    const char *name; /* NULL: not known */
    uint32_t process; /* whose; of files: PERF_ALL_PROCESSES */
    struct code_image image;
    struct name *symbols; /* with those addresses */
    size_t nr_symbols, symbols_room;
};
#define PERF_ALL_PROCESSES UINT32_MAX

/* A process has an object's pages moved by so much. */
struct perf_mapping {
    uint32_t process, object;
    uint64_t moved, time; /* time: from when on, nanoseconds */
};

struct perf_code {
    struct names *names;
    struct perf_object *objects; /* the first is the kernel's half */
    size_t nr_objects, objects_room;
    struct perf_mapping *mappings;
    size_t nr_mappings, mappings_room;
    struct perf_seen {
        uint64_t key, number; /* key 0: none */
    } * seen;                 /* a table of what was taken already */
    size_t seen_size, nr_seen;
    bool no_memory;
};

/* Where a process stands: of which space, at which trace offset of which CPU. */
struct perf_place {
    uint32_t process;
    uint64_t cr3, at, time;
    const struct code_pages *pages;
};

void perf_code_open(struct perf_code *code, struct names *names);
void perf_code_free(struct perf_code *code);

/* A sample has an address, within a function. */
void perf_code_take(struct perf_code *code, const struct perf_place *place, uint64_t address, const struct name *name);

/* When all is taken: put pages and functions in order. false: no memory. */
bool perf_code_end(struct perf_code *code);

#endif
