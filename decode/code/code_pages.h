/*
 * The code pages of a capture as a decoder of one CPU's trace needs them: which bytes were at a linear address of an
 * address space, at a trace offset.
 *
 * The hypervisor sends a page (RECORD_PAGE) when its physical memory is executed for the first time, and again after
 * the memory was changed. The record has the linear address and the space of that one execution. The same memory may be
 * executed at other addresses and in other spaces without a further record. So contents are found by physical page
 * (code_memory.h), and the physical page of an address follows from the records about that address (code_facts.h):
 * code_space.c has the rules.
 */
#ifndef DECODE_CODE_PAGES_H
#define DECODE_CODE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/code/code_alias.h"
#include "decode/code/code_facts.h"
#include "decode/code/code_memory.h"
#include "decode/code/code_record.h"
#include "decode/code/code_segments.h"

struct code_pages {
    struct page_record *records;
    size_t count;
    struct code_map *maps; /* none: the hypervisor read no page tables, and spaces cannot be distinguished */
    size_t nr_maps;
    uint64_t mappings; /* runs in the capture's MAP records */
    uint64_t *pae;     /* spaces whose table is not at the beginning of a page: rising */
    size_t nr_pae;
    uint64_t shared_from; /* the kernel's half begins here: all spaces have it in common */
    struct code_memory memory;
    struct code_facts facts;
    struct aliases aliases;
    struct code_segments segments;
    char *file;   /* path of events.bin */
    uint16_t cpu; /* whose trace it is for */
};

/* Where the kernel's half begins in 64-bit guests. */
#define CODE_SHARED_FROM (1ull << 63)

/* Collect what the CPU's trace needs: the page versions that it could run, whichever CPU sent them, and the mappings of
 * all CPUs. false: no memory, or an invalid MAP record; error says which. */
bool code_pages_collect(struct code_pages *pages, const struct capture *capture, uint16_t cpu, struct error *error);
void code_pages_free(struct code_pages *pages);

/* The same from records in any order. Both lists are taken over, and freed with free. false: no memory. Pure. */
bool code_pages_build(struct code_pages *pages, struct page_record *records, size_t count, struct code_map *maps,
                      size_t nr_maps);

/* The space that packets or records mean by a CR3, which may have a PCID in its lower bits. Without maps there is only
 * one space, CODE_SPACE_UNKNOWN. */
uint64_t code_pages_space(const struct code_pages *pages, uint64_t cr3);

/* The page at the page-aligned address gva of a space at trace offset at. */
struct code_found {
    const struct page_record *page; /* NULL: unknown */
    uint64_t until;                 /* up to this trace offset the answer is the same */
    bool inferred;                  /* no record names it, but all candidates have the same bytes */
};
struct code_found code_pages_find(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva);

/* Read up to size bytes from a linear address on, up to the first unknown byte. Returns the number of bytes. */
size_t code_pages_read(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva, uint8_t *bytes,
                       size_t size);

#endif
