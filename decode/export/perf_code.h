/*
 * The code of perf's samples: which process mapped which pages of which object, with which functions. perf gets it as
 * ELF files with the captured contents, so it needs no file of the guest. All processes share the kernel's half. Pure,
 * except for writing.
 */
#ifndef DECODE_EXPORT_PERF_CODE_H
#define DECODE_EXPORT_PERF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/export/perf_data.h"
#include "decode/names/names.h"
#include "decode/query/code_image.h"

/* Pages at the addresses of the object's file, or if the file is unknown, at those of the process. */
struct perf_object {
    const char *name; /* NULL: unknown */
    uint32_t process; /* owner; files: PERF_ALL_PROCESSES */
    struct code_image image;
    struct name *symbols; /* at the same addresses */
    size_t nr_symbols, symbols_room;
};
#define PERF_ALL_PROCESSES UINT32_MAX

/* A process mapped an object's pages with this displacement. */
struct perf_mapping {
    uint32_t process, object;
    uint64_t moved, time; /* time: since when, in nanoseconds */
};

struct perf_code {
    struct names *names;
    struct perf_object *objects; /* the first one is the kernel's half */
    size_t nr_objects, objects_room;
    struct perf_mapping *mappings;
    size_t nr_mappings, mappings_room;
    struct perf_seen {
        uint64_t key, number; /* key 0: none */
    } * seen;                 /* hash table of recorded items */
    size_t seen_size, nr_seen;
    bool no_memory;
};

/* The state of a process: its address space, at which trace offset of which CPU. */
struct perf_place {
    uint32_t process;
    uint64_t cr3, at, time;
    const struct code_pages *pages;
};

void perf_code_open(struct perf_code *code, struct names *names);
void perf_code_free(struct perf_code *code);

/* Record an address of a sample, within a function. */
void perf_code_take(struct perf_code *code, const struct perf_place *place, uint64_t address, const struct name *name);

/* Call after all samples: sorts pages and functions. false: out of memory. */
bool perf_code_end(struct perf_code *code);

#endif
