/*
 * A remapping unit's registers, and access to them. Private to vtd/ and its tests.
 *
 * Source: Intel VT-d, Architecture Specification 4.1, chapter 11 "Register Descriptions"; section numbers are that
 * edition's. A 64-bit register may be written as two 32-bit halves (11.2); the upper half, which has the command bit,
 * is written last.
 */
#ifndef VTD_DMAR_REGISTERS_H
#define VTD_DMAR_REGISTERS_H

#include "vtd/dmar.h"

enum dmar_register {
    DMAR_CAP = 0x08,  /* 64 bits: 11.4.2 */
    DMAR_ECAP = 0x10, /* 64 bits: 11.4.3 */
    DMAR_GCMD = 0x18,
    DMAR_GSTS = 0x1c,
    DMAR_RTADDR = 0x20, /* 64 bits: 11.4.5 */
    DMAR_CCMD = 0x28,   /* 64 bits: 11.4.6.1 */
    DMAR_FSTS = 0x34,
    DMAR_FECTL = 0x38,
    DMAR_PMEN = 0x64
};

/* GCMD and GSTS: 11.4.4 */
#define DMAR_TRANSLATION (1u << 31)
#define DMAR_ROOT_TABLE (1u << 30)   /* a one-shot command; its status bit stays set */
#define DMAR_WRITE_BUFFER (1u << 27) /* a one-shot command; its status bit clears on completion */
#define DMAR_QUEUED_INVALIDATION (1u << 26)
#define DMAR_INTERRUPT_REMAPPING (1u << 25)
#define DMAR_INTERRUPT_TABLE (1u << 24)   /* as DMAR_ROOT_TABLE */
#define DMAR_COMPATIBLE_FORMAT (1u << 23) /* interrupts in that format are not blocked */
#define DMAR_PERSISTENT 0x96ffffffu       /* bits of GSTS to write back to GCMD; the others are one-shot commands */

#define DMAR_PMEN_ENABLE (1u << 31)
#define DMAR_PMEN_STATUS 1u

/* CAP */
#define DMAR_CAP_DOMAINS(cap) (16u << 2 * ((cap)&7))
#define DMAR_CAP_NEEDS_FLUSH (1u << 4)
#define DMAR_CAP_LEVELS(cap, levels) ((cap) >> (8 + (levels)-2) & 1) /* SAGAW: tables of 3, 4, 5 levels */
#define DMAR_CAP_WIDTH(cap) (((cap) >> 16 & 0x3f) + 1)               /* MGAW: bits of an address */
#define DMAR_CAP_FAULTS_AT(cap) (((cap) >> 24 & 0x3ff) * 16)
#define DMAR_CAP_2M (1ull << 34)
#define DMAR_CAP_1G (1ull << 35)
#define DMAR_CAP_NR_FAULTS(cap) (((cap) >> 40 & 0xff) + 1)
#define DMAR_CAP_DRAIN_WRITES (1ull << 54)
#define DMAR_CAP_DRAIN_READS (1ull << 55)
#define DMAR_ECAP_IOTLB_AT(ecap) (((ecap) >> 8 & 0x3ff) * 16 + 8)

/* The upper halves */
#define DMAR_CCMD_INVALIDATE (1u << 31)
#define DMAR_CCMD_ALL (1u << 29)
#define DMAR_IOTLB_INVALIDATE (1u << 31)
#define DMAR_IOTLB_ALL (1u << 28)
#define DMAR_IOTLB_DRAIN_READS (1u << 17)
#define DMAR_IOTLB_DRAIN_WRITES (1u << 16)

#define DMAR_FSTS_OVERFLOW 1u
#define DMAR_FSTS_PENDING 2u
#define DMAR_FSTS_FIRST(fsts) ((fsts) >> 8 & 0xff)
#define DMAR_FECTL_MASK (1u << 31)

/* A fault record, by doublewords: 11.4.7.6 */
#define DMAR_FAULT_BYTES 16u
#define DMAR_FAULT_SOURCE 8u
#define DMAR_FAULT_TYPE 12u
#define DMAR_FAULT_THERE (1u << 31)
#define DMAR_FAULT_IS_READ (1u << 30)

#define DMAR_NO_REGISTER 0xffffffffu /* what a bus answers where nothing decodes */

static inline uint32_t dmar_get(const struct dmar_access *access, uint32_t offset)
{
    return access->read(access->context, offset);
}

static inline uint64_t dmar_get64(const struct dmar_access *access, uint32_t offset)
{
    const uint32_t low = dmar_get(access, offset);
    return (uint64_t)dmar_get(access, offset + 4) << 32 | low;
}

static inline void dmar_set(const struct dmar_access *access, uint32_t offset, uint32_t value)
{
    access->write(access->context, offset, value);
}

/* Wait at most 100 ms until (register & bits) == should. false: timed out. */
bool dmar_wait(const struct dmar_access *access, uint32_t offset, uint32_t bits, uint32_t should);

/* Switch a persistent command bit on or off, and wait for its status bit. Only one command may be pending at a time.
 * false: timed out after 100 ms. */
bool dmar_switch(const struct dmar_access *access, uint32_t bit, bool on);

#endif
