/* A PAGE record, as the decoder of one CPU's trace needs it. */
#ifndef DECODE_CODE_RECORD_H
#define DECODE_CODE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* An address space is identified by the physical address of its top-level page table. These are no such addresses: */
#define CODE_SPACE_UNKNOWN 1u /* not known: a guest's, or, where no guest address can be meant, the hypervisor's */
#define CODE_SPACE_ROOT 2u    /* the hypervisor's own */

struct page_record {
    uint64_t gva, gpa; /* page-aligned */
    uint64_t space;    /* in which it was executed at gva */
    uint64_t number;   /* the record's number, in the order in which the machine sent them; 0: valid from the start */
    uint64_t from;     /* trace offset from which on the decoded CPU could execute this version */
    uint64_t earliest; /* of another CPU's record: trace offset from which on gva may have been mapped to this page */
    uint64_t file_offset; /* of its bytes in events.bin */
    const uint8_t *bytes; /* RECORD_PAGE_SIZE */
    const uint8_t *known; /* for each of the bytes: 0: it is not known; NULL: all are known */
    bool root;            /* the hypervisor's own: gpa is host-physical */
    bool foreign;         /* another CPU sent it */
};

#endif
