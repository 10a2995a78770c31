/*
 * RECORD_MAP: how the guest's page tables mapped a stretch of linear addresses in one address space. A record that
 * contradicts itself is rejected as a whole, because a wrong mapping would silently yield wrong code. Pure.
 */
#ifndef DECODE_CODE_MAP_H
#define DECODE_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/record.h"

enum code_map_error {
    CODE_MAP_OK,
    CODE_MAP_SHORT,     /* the payload is shorter than its header */
    CODE_MAP_LENGTH,    /* the payload is not as long as its runs */
    CODE_MAP_CR3,       /* bits that no table's address has */
    CODE_MAP_STRETCH,   /* not made of whole pages, or too large, or it wraps around the end of the address space */
    CODE_MAP_OFFSET,    /* it was read before the fault that caused it */
    CODE_MAP_NUMBER,    /* 0 */
    CODE_MAP_PAGE_SIZE, /* not a page size of the architecture */
    CODE_MAP_ALIGNMENT, /* a run whose addresses or size are not aligned to its page size */
    CODE_MAP_EMPTY,     /* a run without a page */
    CODE_MAP_OUTSIDE,   /* a run that is not within the stretch */
    CODE_MAP_ENDED,     /* an end-of-space record with mappings */
    CODE_MAP_ORDER,     /* runs that overlap or are not in ascending order */
    CODE_MAP_PHYSICAL,  /* a run beyond the highest physical address */
    CODE_MAP_NR_ERRORS
};

/* A mapping, or several of one record. */
struct code_map {
    uint64_t space;
    uint64_t linear, size; /* the stretch */
    uint64_t number;
    uint64_t fault_offset, read_offset; /* trace offsets of the CPU that sent it */
    const struct record_map_run *runs;  /* by ascending address, within the stretch */
    size_t nr_runs;
    bool looked_at; /* there was no fault: the change was anywhere between the two offsets */
    bool ended;     /* the space has ended: earlier records of the stretch are invalid */
    /* Filled in by code_pages.c, for the CPU whose trace is decoded: */
    uint16_t sender;   /* the CPU that sent it */
    uint64_t from;     /* trace offset from which on it certainly holds; UINT64_MAX: none */
    uint64_t earliest; /* it does not hold before */
    bool foreign;      /* another CPU sent it */
    struct record_map_run
        wide; /* in place of runs: all of a page that is larger than the stretch, which it fills here */
};

/* Payloads are aligned to 8. */
enum code_map_error code_map_parse(struct code_map *map, const uint8_t *payload, size_t length, uint64_t trace_offset);
const char *code_map_error_text(enum code_map_error error);

/* The physical page that is mapped at a page-aligned address of the stretch. false: the record names none. */
bool code_map_find(uint64_t *gpa, const struct code_map *map, uint64_t gva);

/* Does the record say that a mapping there was missed? Neither earlier nor later records show what it was. */
bool code_map_is_missed(const struct code_map *map);

/* May user mode execute the page there? */
bool code_map_is_user(const struct code_map *map, uint64_t gva);

/* The whole of a page that extends beyond the stretch, as a map of its own. false: the run has no such page. */
bool code_map_widen(struct code_map *wide, const struct code_map *map, size_t run);

#endif
