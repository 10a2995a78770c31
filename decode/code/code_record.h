/* A PAGE record, as far as it counts for the trace of one CPU. */
#ifndef DECODE_CODE_RECORD_H
#define DECODE_CODE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* An address space is named by where its uppermost table is. No table is at these: */
#define CODE_SPACE_UNKNOWN 1u /* some guest's; or the hypervisor's, where no address of the guest is meant */
#define CODE_SPACE_ROOT 2u    /* the hypervisor's own */

struct page_record {
    uint64_t gva, gpa;    /* page-aligned */
    uint64_t space;       /* in which it was executed there */
    uint64_t number;      /* of all the machine's, in the order in which they were sent; 0: from the start */
    uint64_t from;        /* trace offset of the decoded CPU from which on it could run this */
    uint64_t earliest;    /* another CPU's: its address may have meant this page from here on */
    uint64_t file_offset; /* of its bytes in events.bin */
    const uint8_t *bytes; /* RECORD_PAGE_SIZE */
    const uint8_t *known; /* a byte for each of them: 0 where it is not known; NULL: all are */
    bool root;            /* the hypervisor's own: gpa is host-physical */
    bool foreign;         /* another CPU sent it */
    uint64_t base;        /* gva is an IP in a code segment with this base: a linear address less this */
    uint64_t cs_base;     /* gva is a linear address, and so are IPs: CS.base when it was executed */
};

#endif
