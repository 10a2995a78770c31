/*
 * Records: everything that the sender sends in addition to raw trace. The same bytes are on the wire, as payloads of
 * FRAME_RECORDS frames, and in the file events.bin of a capture.
 *
 * A record is a struct record_header and length bytes, padded with zeros to a multiple of 8. Core; layouts only.
 */
#ifndef SERIAL_WIRE_RECORD_H
#define SERIAL_WIRE_RECORD_H

#include <stdint.h>

enum record_kind {
    RECORD_HELLO = 1,    /* text, lines of "name value", for meta.json; the first record of CPU 0 */
    RECORD_PAGE = 2,     /* struct record_page and its bytes: a code page, valid from trace_offset on */
    RECORD_DRAIN = 3,    /* struct record_drain: trace bytes were passed to the channel */
    RECORD_GAP = 4,      /* struct record_gap: trace bytes that were lost or never written */
    RECORD_LOG = 5,      /* text, one line without line feed */
    RECORD_END = 6,      /* text, lines of "name value": totals; the last record */
    RECORD_STATUS = 7,   /* text, lines of "name value": the answer to a command (serial/wire/command.h) */
    RECORD_SEEN = 8,     /* struct record_seen: which versions of code pages this CPU executes from trace_offset on */
    RECORD_MAP = 9,      /* struct record_map and its runs: the executable pages in a range of an address space */
    RECORD_TASK = 10,    /* struct record_task: which task of the guest runs in an address space */
    RECORD_LOST = 11,    /* struct record_lost: records that did not arrive; made by the receiver, never sent */
    RECORD_SEGMENT = 12, /* struct record_segment: the base of this CPU's code segment */
    RECORD_CLOCK = 13    /* struct record_clock: how this CPU's TSC differs from the clock of the trace */
};

struct record_header {
    uint16_t kind; /* enum record_kind */
    uint16_t cpu;
    uint32_t length;       /* payload bytes, without padding */
    uint64_t trace_offset; /* position in this CPU's PT stream when the record was made */
    uint64_t tsc;
};
_Static_assert(sizeof(struct record_header) == 24, "docs/wire.md: a record header is 24 bytes");

#define RECORD_PAGE_SIZE 4096u
#define RECORD_PAGE_ROOT 0x1u /* flags: the hypervisor's own code, not the guest's */
/* A device wrote the page before the guest mapped it: on this CPU, it is valid from the fault_offset of the next
 * RECORD_MAP on. */
#define RECORD_PAGE_REFILLED 0x2u

struct record_page {
    uint64_t gpa; /* page-aligned guest-physical address; with RECORD_PAGE_ROOT host-physical */
    uint64_t gva; /* page-aligned linear address at which it was executed */
    uint64_t cr3;
    uint16_t mode;  /* code size: 16, 32 or 64 */
    uint16_t flags; /* RECORD_PAGE_* */
    uint32_t size;  /* bytes that follow: RECORD_PAGE_SIZE */
    /* Code pages of all CPUs are numbered in the order of sending, from 1. This version is valid on the record's CPU
     * from trace_offset on, and on another CPU from its next RECORD_SEEN on. 0: the page has not changed since the
     * start. */
    uint64_t number;
    uint64_t code_base; /* CS.base when it was executed. If CPUID.14H:ECX[31] is 0, IP payloads of packets are relative
                           to it: gva - code_base */
};
_Static_assert(sizeof(struct record_page) == 48, "docs/wire.md: a page record's head is 48 bytes");

/* Page contents are global, but each CPU starts to execute a new version at its own time: from trace_offset on, this
 * CPU executes the versions up to and including this number, and no older ones. */
struct record_seen {
    uint64_t number;
};

/* The guest's page tables for a range of linear addresses in one address space: all executable pages that were present
 * when the tables were read. The record replaces earlier information about this range of this address space. Pages
 * outside the runs were not present, or not executable. The contents of a page are in the RECORD_PAGE for its gpa.
 *
 * A range of one page without runs: the page was mapped after a fault, but was unmapped or mapped differently before
 * its entry was read. Its translation in the meantime is unknown, unless a RECORD_PAGE gives it. */
struct record_map {
    uint64_t cr3;          /* the address space: CR3 without PCID and flags, the address of its top-level table */
    uint64_t linear, size; /* the range, in bytes */
    /* This CPU's trace offset at the fault on a fetch from the range, after which the guest changed its tables. They
     * were read at the record's trace_offset. The change was in between, before the range was executed again. Equal to
     * trace_offset: the time of the change is unknown. */
    uint64_t fault_offset;
    uint64_t number; /* from the same sequence as that of RECORD_PAGE: the record is valid on another CPU, at the
                        latest, when that CPU's records reach this number */
    uint32_t runs;   /* the number of struct record_map_run that follow, by ascending linear address */
    uint32_t flags;  /* RECORD_MAP_SCANNED, RECORD_MAP_ENDED */
};
_Static_assert(sizeof(struct record_map) == 48, "docs/wire.md: a map record's head is 48 bytes");

/* There was no fault: the whole address space was scanned now, and before at fault_offset. The change was in between,
 * and the range may have been executed before it as well as after it. Also if there was a fault, but another CPU has
 * run in the address space since then. */
#define RECORD_MAP_SCANNED 0x1u

/* The address space has ended at fault_offset, which equals trace_offset: all earlier records of it, RECORD_PAGE
 * included, become invalid. A new address space may reuse the same tables. The range is the first page, without runs.
 */
#define RECORD_MAP_ENDED 0x2u

/* Flags of a run. */
#define RECORD_MAP_GLOBAL 0x1u /* the translation is global: all address spaces share it */
#define RECORD_MAP_USER 0x2u   /* user mode may execute it */

struct record_map_run {
    uint64_t linear, gpa; /* page-aligned; contiguous in both */
    uint32_t pages;       /* of RECORD_PAGE_SIZE */
    uint16_t flags;       /* RECORD_MAP_* */
    uint16_t page_shift;  /* log2 of the guest's page size: 12, 21, 22, 30 */
};

/* At the record's trace_offset, this task of a Linux guest ran on this CPU in this address space. The record is made at
 * a page fault on a read or fetch in user memory, if it differs from this CPU's last one for the address space. So
 * another task may have run there before without a fault. */
#define RECORD_TASK_COMM 16u
struct record_task {
    uint64_t cr3;                /* as in struct record_map; with page-table isolation, the CR3 at the fault */
    uint32_t pid, tgid;          /* of the thread and of its process, in the guest's initial PID namespace */
    uint32_t flags;              /* RECORD_TASK_* */
    uint32_t reserved;           /* 0 */
    char comm[RECORD_TASK_COMM]; /* the thread's name, at most 15 bytes, padded with zeros */
};
_Static_assert(sizeof(struct record_task) == 40, "docs/wire.md: a task record has 40 bytes");

#define RECORD_TASK_BORROWS 0x1u /* after vfork: it uses its parent's address space until it executes a program */

/* From the record's trace_offset on, this CPU's CS.base is base. Packets do not contain it. With RECORD_SEGMENT_STEPPED
 * this holds until the CPU's next record of this kind: each instruction is followed by a VM exit, and each change of
 * CS.base by a record. Without the flag the CPU executes 64-bit code, or 32-bit code with base 0, until a VM exit finds
 * something else. With RECORD_SEGMENT_SOLE, code that was executed between the CPU's previous record of this kind and
 * this one had this base too, unless it was flat. With RECORD_SEGMENT_LOADED the hypervisor changed CS at this VM exit;
 * else CS had changed before it.
 */
#define RECORD_SEGMENT_STEPPED 0x1u
#define RECORD_SEGMENT_LOADED 0x2u
#define RECORD_SEGMENT_SOLE 0x4u
struct record_segment {
    uint64_t base;
    uint32_t mode;  /* code size: 16, 32 or 64 */
    uint32_t flags; /* RECORD_SEGMENT_* */
};
_Static_assert(sizeof(struct record_segment) == 16, "docs/wire.md: a segment record has 16 bytes");

/* From the record's trace_offset on, this CPU's TSC is ahead ticks ahead of the clock of the trace: CPU 0's TSC as it
 * was when the trace began. The record itself has the TSC as it is now. Before its first record a CPU's TSC is that
 * clock, as nearly as it could be measured. */
#define RECORD_CLOCK_WRITTEN 0x1u /* flags: the guest has written the TSC. Otherwise it was measured at the start */
struct record_clock {
    uint64_t ahead; /* modulo 2^64 */
    uint32_t error; /* ahead is at most so many ticks too high or too low */
    uint32_t flags; /* RECORD_CLOCK_* */
};
_Static_assert(sizeof(struct record_clock) == 16, "docs/wire.md: a clock record has 16 bytes");

enum record_drain_cause { RECORD_DRAIN_PMI = 1, RECORD_DRAIN_FLUSH = 2, RECORD_DRAIN_POLL = 3 };

/* The record's trace_offset is the highest of those before the missing records. */
struct record_lost {
    uint64_t size; /* bytes of records, those included that arrived in part */
};

struct record_drain {
    uint64_t from;        /* trace offset of the first byte passed to the channel */
    uint64_t size;        /* bytes */
    uint32_t cause;       /* enum record_drain_cause */
    uint32_t rtit_status; /* IA32_RTIT_STATUS[31:0] as read */
};

enum record_gap_cause {
    RECORD_GAP_STOPPED = 1,
    RECORD_GAP_ERROR = 2,
    RECORD_GAP_WIRE = 3, /* lost on the wire: made by the receiver, with tsc_from and tsc_to 0 */
    RECORD_GAP_DROP = 4, /* policy=drop or ring: no region was free, tracing paused */
    RECORD_GAP_RING = 5, /* overwritten before it was requested (policy=ring) or sent (single range); size is known */
    RECORD_GAP_COMMAND = 6, /* tracing paused by a command */
    RECORD_GAP_OVERRUN = 7, /* the hardware overwrote bytes that were not yet released */
    RECORD_GAP_CUT = 8      /* no progress of the channel for net.stall or uart.stall seconds: no later trace is sent */
};

struct record_gap {
    uint64_t at;   /* trace offset of the missing bytes */
    uint64_t size; /* how many are missing; 0: unknown */
    uint64_t tsc_from, tsc_to;
    uint32_t cause;  /* enum record_gap_cause */
    uint32_t detail; /* cause ERROR: enum topa_error | ToPA entry number << 8; else 0 */
};

#endif
