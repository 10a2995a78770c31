/*
 * ToPA tables: entries as values, and the processor's walk over them.
 *
 * Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), Table "ToPA Table Entry Fields".
 */
#ifndef PT_OUTPUT_TOPA_H
#define PT_OUTPUT_TOPA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
#define TOPA_MAX_INDEX 0x1ffffffu /* the last entry of a table of 256 MiB; output continues at the first */

/* Region size in bytes of an entry's size code: 4 KiB << code. */
static inline uint64_t topa_entry_size_bytes(uint64_t entry)
{
    return (uint64_t)TOPA_MIN_REGION_BYTES << ((entry & TOPA_SIZE_MASK) >> TOPA_SIZE_SHIFT);
}

/* Base address of an entry's region, or of the next table where END is set. */
static inline uint64_t topa_entry_base_pa(uint64_t entry)
{
    return entry & ~0xfffull;
}

/* The size code for a region; -1 if the size is not a power of two from 4 KiB to 128 MiB. */
int topa_size_code(uint64_t size_bytes);

enum topa_error {
    TOPA_OK = 0,
    TOPA_RESERVED_BITS,  /* a reserved bit, or INT or STOP with END */
    TOPA_BASE_UNALIGNED, /* the region's base is not aligned to its size, or the table's base not to 4 KiB */
    TOPA_ABOVE_MAXPHYADDR,
    TOPA_OFFSET_BEYOND, /* the output offset is not below the region's size */
    TOPA_END_FIRST,     /* END as the table's first entry */
    TOPA_END_ELSEWHERE  /* single-output-region part: entry 1 must be END and lead back to the table */
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

/*
 * The processor's output position, and what happens when bytes are written there. To write bytes, call topa_walk_load
 * once. Then copy up to topa_walk_room bytes to topa_walk_pa and call topa_walk_advance; after TOPA_FILLED without
 * TOPA_FILLED_STOP call topa_walk_load again.
 */
struct topa_walk {
    struct topa_ptrs ptrs;
    uint64_t entry;        /* the entry at ptrs */
    uint64_t region_pa;    /* its region */
    uint32_t region_bytes; /* 4 KiB to 128 MiB */
};

/* What topa_walk_advance reports; STOP comes before INT. */
#define TOPA_FILLED 0x1u      /* the region's last byte was written */
#define TOPA_FILLED_INT 0x2u  /* and its entry has INT: a ToPA PMI is due */
#define TOPA_FILLED_STOP 0x4u /* and its entry has STOP: ptrs stay, the offset is the region's size */

/* Read the 8-byte table entry at physical address pa. */
typedef uint64_t (*topa_read_fn)(void *context, uint64_t pa);

/* Read the entry at walk->ptrs, following END to the next table if necessary. single_region: the part has
 * CPUID.14H:ECX.MENTRY = 0. Errors are the processor's operational errors (IA32_RTIT_STATUS.Error). */
enum topa_error topa_walk_load(struct topa_walk *walk, topa_read_fn read, void *context, unsigned maxphyaddr,
                               bool single_region);

/* The address of the next byte, and the number of bytes until the region is full. */
static inline uint64_t topa_walk_pa(const struct topa_walk *walk)
{
    return walk->region_pa + walk->ptrs.offset;
}
static inline uint32_t topa_walk_room(const struct topa_walk *walk)
{
    return walk->region_bytes - walk->ptrs.offset;
}

/* nr_bytes, at most topa_walk_room, were written. Returns TOPA_FILLED* bits. */
unsigned topa_walk_advance(struct topa_walk *walk, uint32_t nr_bytes);

#ifdef __cplusplus
}
#endif

#endif
