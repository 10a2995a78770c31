/* Inside of this room: all that a page is made of. */
#ifndef DECODE_PAGE_STATE_H
#define DECODE_PAGE_STATE_H

#include "decode/page/page.h"

/* When a function was entered for the first and for the last time; last 0: never. */
struct page_ran {
    uint64_t first, last;
};

/* Moments at which the hypervisor did something. */
enum page_mark_kind { PAGE_MARK_EXIT, PAGE_MARK_CODE, PAGE_MARK_MAP, PAGE_MARK_DRAIN, PAGE_NR_MARKS };

struct page_mark {
    uint64_t tsc;
    uint8_t kind, cpu;
};

struct page_marks {
    struct page_mark *items; /* by tsc */
    size_t count, room;
};

/* The call tree without its smallest branches: where some branch off, they are one node without a name. */
struct page_node {
    uint32_t parent, name; /* name PAGE_NO_NAME: a process's root, or what was summed up */
    uint8_t entry;
    uint64_t calls, branches, ticks; /* calls of what was summed up: how many nodes it was */
};
#define PAGE_NO_NAME UINT32_MAX

struct page_tree {
    struct page_node *nodes; /* the first is none; each stands behind its parent */
    size_t count;
    uint32_t *roots; /* of the profile's processes */
    uint64_t merged; /* nodes that were summed up */
};

struct page {
    struct calls_run *run;
    struct slices slices;
    struct profile profile;
    struct page_ran *ran; /* by number of the name */
    size_t ran_room;
    uint32_t *processes; /* of tasks, by the stacks' numbers: the profile's process in which each ran last */
    size_t processes_room;
    struct page_marks marks;
    struct page_tree tree;
    uint64_t first, unit; /* the first moment, and the ticks of a unit of the columns */
    bool no_memory;
};

/* Decode, into slices, profile and ran. */
bool page_collect(struct page *page, struct error *error);

/* false: no memory. */
bool page_tree_make(struct page_tree *tree, const struct profile *profile, size_t most);
void page_tree_free(struct page_tree *tree);

/* What records tell, and VM exits as packets do. false: error says why. */
bool page_marks_collect(struct page_marks *marks, const struct calls_run *run, struct error *error);

/* The facts as JSON, the columns as elements. false: no memory. */
bool page_write_facts(FILE *file, const struct page *page);
void page_write_columns(FILE *file, const struct page *page);

/* A moment, or a time, in units of the columns; moments before the first are it. */
static inline uint32_t page_moment(const struct page *page, uint64_t tsc)
{
    const uint64_t units = tsc > page->first ? (tsc - page->first) / page->unit : 0;
    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

#endif
