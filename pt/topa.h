/*
 * ToPA tables: entries as values, and the walk that the processor does over them.
 *
 * Core. Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), Table "ToPA Table Entry Fields".
 */
#ifndef PT_TOPA_H
#define PT_TOPA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPA_END (1ull << 0)
#define TOPA_INT (1ull << 2)
#define TOPA_STOP (1ull << 4)
#define TOPA_SIZE_SHIFT 6
#define TOPA_SIZE_MASK (0xfull << TOPA_SIZE_SHIFT)
#define TOPA_TABLE_ENTRIES 512u       /* entries in one page */
#define TOPA_MIN_REGION_BYTES 0x1000u /* size code 0 */
#define TOPA_MAX_REGION_BYTES 0x8000000u

/* IA32_RTIT_OUTPUT_MASK_PTRS under ToPA: bits 6:0 are ones, 31:7 the entry's index, 63:32 the offset in its region. */
#define TOPA_PTRS_LOWER_ONES 0x7full

/* Region size in bytes of an entry's size code: 4 KiB << code. */
static inline uint64_t topa_entry_size_bytes(uint64_t entry)
{
    return (uint64_t)TOPA_MIN_REGION_BYTES << ((entry & TOPA_SIZE_MASK) >> TOPA_SIZE_SHIFT);
}

/* The size code for a region; -1 where the size is no power of two of 4 KiB to 128 MiB. */
int topa_size_code(uint64_t size_bytes);

enum topa_error {
    TOPA_OK = 0,
    TOPA_RESERVED_BITS,  /* a reserved bit, or INT or STOP with END */
    TOPA_BASE_UNALIGNED, /* the region's base is not aligned to its size */
    TOPA_ABOVE_MAXPHYADDR,
    TOPA_OFFSET_BEYOND, /* the output offset is not below the region's size */
    TOPA_END_FIRST,     /* END as the table's first entry */
    TOPA_END_ELSEWHERE  /* single-output-region part: END must lead back to the table */
};
const char *topa_error_name(enum topa_error error);

/* Check one entry as the processor does when it reaches it. maxphyaddr in bits. */
enum topa_error topa_entry_check(uint64_t entry, uint32_t index, unsigned maxphyaddr);

/* The output MSRs as one value. */
struct topa_ptrs {
    uint64_t table_pa; /* IA32_RTIT_OUTPUT_BASE */
    uint32_t index;    /* MaskOrTableOffset */
    uint32_t offset;   /* OutputOffset, bytes */
};
struct topa_ptrs topa_ptrs_unpack(uint64_t output_base, uint64_t output_mask_ptrs);
uint64_t topa_ptrs_pack(struct topa_ptrs ptrs); /* IA32_RTIT_OUTPUT_MASK_PTRS */

#endif
