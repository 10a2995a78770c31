/* For this room only: everything that a page consists of. */
#ifndef DECODE_PAGE_STATE_H
#define DECODE_PAGE_STATE_H

#include "decode/page/page.h"
#include "decode/profile/call_pairs.h"

/* When a function was first and last entered; last 0: never. */
struct page_ran {
    uint64_t first, last;
};

/* Moments of the hypervisor's activity. */
enum page_mark_kind {
    PAGE_MARK_EXIT,
    PAGE_MARK_CODE,
    PAGE_MARK_MAP,
    PAGE_MARK_DRAIN,
    PAGE_MARK_BLACKOUT,
    PAGE_NR_MARKS
};

struct page_mark {
    uint64_t tsc;
    uint8_t kind, cpu;
};

struct page_marks {
    struct page_mark *items; /* sorted by tsc */
    size_t count, room;
};

/* The call tree without its smallest branches: those of one parent become one node without a name. */
struct page_node {
    uint32_t parent, name; /* name PAGE_NO_NAME: the root of a process, or a sum of small branches */
    uint8_t entry;
    uint64_t calls, branches, ticks; /* calls of a sum: the number of its nodes */
};
#define PAGE_NO_NAME UINT32_MAX

struct page_tree {
    struct page_node *nodes; /* the first one is unused; parents precede their children */
    size_t count;
    uint32_t *roots; /* roots of the profile's processes */
    uint64_t merged; /* number of nodes that became part of a sum */
};

struct page {
    struct calls_run *run;
    struct slices slices;
    struct profile profile;
    struct page_ran *ran; /* indexed by the name's number */
    size_t ran_room;
    uint32_t *processes; /* indexed by the stacks' task number: the profile's process in which each task last ran */
    size_t processes_room;
    struct page_marks marks;
    struct page_tree tree;
    struct call_pairs pairs; /* of all functions, also of those that the tree has merged */
    uint64_t first, unit;    /* the first moment, and the number of ticks in a unit of the columns */
    bool served;             /* a server answers for details */
    bool no_memory;
};

/* HTML: a page that contains its data. JSON: the data of a window for a page that is open. */
enum page_form { PAGE_HTML, PAGE_JSON };

/* Decode into slices, profile and ran. */
bool page_collect(struct page *page, struct error *error);

/* false: out of memory. */
bool page_tree_make(struct page_tree *tree, const struct profile *profile, size_t most);
void page_tree_free(struct page_tree *tree);

/* Collect marks from records, and VM exits from packets. false: error says why. */
bool page_marks_collect(struct page_marks *marks, const struct calls_run *run, struct error *error);

/* Write the facts as a JSON object; for PAGE_JSON without those that are the same for each window, and without
 * functions that did not run in it. false: out of memory. */
bool page_write_facts(FILE *file, const struct page *page, enum page_form form);

/* A part of the facts: the names and objects. false: out of memory. */
bool page_write_names(FILE *file, const struct page *page, enum page_form form);

/* A JSON string: of a text, NULL: null; or of bytes. */
void page_write_text(FILE *file, const char *text);
void page_write_bytes(FILE *file, const char *bytes, size_t size);

/* Write the columns: for HTML as elements, otherwise as members of a JSON object. */
void page_write_columns(FILE *file, const struct page *page, enum page_form form);

/* A moment in units of the columns. Moments before the first one are 0. */
static inline uint32_t page_moment(const struct page *page, uint64_t tsc)
{
    const uint64_t units = tsc > page->first ? (tsc - page->first) / page->unit : 0;
    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

#endif
