/*
 * The code pages of a capture as a decoder of one CPU's trace needs them: versions of pages by linear address, each
 * valid from a trace offset on.
 *
 * The hypervisor sends a page when its physical memory is executed for the first time or anew, with the one linear
 * address at which that happened. The same memory may be executed at other linear addresses without a further record:
 * a kernel runs at its load address before it runs at its own. So contents follow the physical page, and each linear
 * address follows the physical page that it last named:
 *   - an address stands for the physical page of its newest record, and before its first record for that one's;
 *   - where CPUs name different ones for an address of the lower half, where each may run another process, its own
 * CPU's records count, as long as there are some;
 *   - an address without a record is taken for a large page's part: code_alias.h.
 *
 * Where the CPU's packets have IPs, not linear addresses (CPUID.14H:ECX[31] = 0), a page of a code segment with a base
 * stands at its IP as well: real-mode code, as each CPU runs it when it starts.
 */
#ifndef DECODE_CODE_PAGES_H
#define DECODE_CODE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

/* A page record, as far as it counts here. */
struct page_record {
    uint64_t gva, gpa;    /* page-aligned */
    uint64_t number;      /* of all the machine's, in the order in which they were sent; 0: from the start */
    uint64_t from;        /* trace offset of the decoded CPU from which on it could run this */
    uint64_t file_offset; /* of its bytes in events.bin */
    const uint8_t *bytes; /* RECORD_PAGE_SIZE */
    bool root;            /* the hypervisor's own: gpa is host-physical */
    bool foreign;         /* another CPU sent it */
    uint64_t base;        /* gva is an IP in a code segment with this base: a linear address less this */
};

struct page_version {
    uint64_t gva;
    uint64_t from; /* trace offset from which on this version is what was executed */
    uint64_t number;
    uint64_t file_offset;
    uint64_t base; /* as in struct page_record */
    const uint8_t *bytes;
    bool nothing_new; /* the first version at this address, or the same bytes as the one before */
};

struct code_pages {
    struct page_version *by_time; /* by trace offset, then by number */
    struct page_version *by_page; /* by address, then as by_time */
    size_t count;
    char *file; /* path of events.bin */
};

/* Collect the pages that count for the CPU's trace: the versions that it could run, whichever CPU sent them.
 * false: no memory; error says so. */
bool code_pages_collect(struct code_pages *pages, const struct capture *capture, uint16_t cpu, struct error *error);
void code_pages_free(struct code_pages *pages);

/* The same from records in any order, which are sorted by number. false: no memory. Pure. */
bool code_pages_build(struct code_pages *pages, struct page_record *records, size_t count);

/* Among by_page[first..], which all stand for one address: the version that is valid at trace offset at, or the first
 * one where none is yet (nothing was executed from it before it was sent). *next: the next address's first version. */
const struct page_version *code_pages_pick(const struct code_pages *pages, size_t first, uint64_t at, size_t *next);

/* The bytes that a linear address had at a trace offset, and those behind it, up to size of them: how many there are.
 */
size_t code_pages_read(const struct code_pages *pages, uint64_t at, uint64_t gva, uint8_t *bytes, size_t size);

/* The linear address of an IP of 16-bit code, as packets tell it. */
uint64_t code_pages_linear(const struct code_pages *pages, uint64_t at, uint64_t ip);

#endif
