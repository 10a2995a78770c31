/*
 * Records: everything that is not raw trace. The same bytes stand on the wire (as the payload of FRAME_RECORDS frames)
 * and in a capture's events.bin.
 *
 * Each record is a struct record_header and length bytes, padded with zeros to 8. Core; layouts only.
 */
#ifndef SERIAL_WIRE_RECORD_H
#define SERIAL_WIRE_RECORD_H

#include <stdint.h>

enum record_kind {
    RECORD_HELLO = 1,  /* text, lines of "name value": everything that meta.json needs; the first record of CPU 0 */
    RECORD_PAGE = 2,   /* struct record_page and its bytes: a code page, valid from trace_offset on */
    RECORD_DRAIN = 3,  /* struct record_drain: trace bytes were handed over */
    RECORD_GAP = 4,    /* struct record_gap: trace bytes that never were written or were lost */
    RECORD_LOG = 5,    /* text, one line without its end */
    RECORD_END = 6,    /* text, lines of "name value": totals; the last record */
    RECORD_STATUS = 7, /* text, lines of "name value": the answer to a command (serial/wire/command.h) */
    RECORD_SEEN = 8,   /* struct record_seen: which versions of code pages this CPU can run from trace_offset on */
    RECORD_MAP = 9,    /* struct record_map and its runs: what an address space has executable in one stretch */
    RECORD_TASK = 10   /* struct record_task: which task of the guest's runs in an address space */
};

struct record_header {
    uint16_t kind; /* enum record_kind */
    uint16_t cpu;
    uint32_t length;       /* payload bytes, padding not counted */
    uint64_t trace_offset; /* of this CPU's PT stream, when the record was made */
    uint64_t tsc;
};
_Static_assert(sizeof(struct record_header) == 24, "docs/wire.md: a record header is 24 bytes");

#define RECORD_PAGE_SIZE 4096u
#define RECORD_PAGE_ROOT 0x1u /* flags: the hypervisor's own code, not the guest's */
/* A device wrote it before the guest mapped it: this CPU can run it so from the fault_offset of its next RECORD_MAP on.
 */
#define RECORD_PAGE_REFILLED 0x2u

struct record_page {
    uint64_t gpa; /* page-aligned guest-physical address; root: host-physical */
    uint64_t gva; /* page-aligned linear address at which it was executed */
    uint64_t cr3;
    uint16_t mode;  /* 16, 32 or 64: size of code */
    uint16_t flags; /* RECORD_PAGE_* */
    uint32_t size;  /* bytes that follow: RECORD_PAGE_SIZE */
    /* All code pages of the machine are numbered as they are sent, from 1. The CPU whose record it is can run this
     * version from trace_offset on, another one from its own next RECORD_SEEN on. 0: unchanged from the start. */
    uint64_t number;
    uint64_t code_base; /* CS.base when it was executed: gva less this is the IP that packets tell where
                           CPUID.14H:ECX[31] is 0 */
};
_Static_assert(sizeof(struct record_page) == 48, "docs/wire.md: a page record's head is 48 bytes");

/* Contents of pages are the machine's, the moment at which they can be run is each CPU's: from trace_offset on this CPU
 * runs what pages up to and with this number say, and nothing older. */
struct record_seen {
    uint64_t number;
};

/* What the guest's page tables say of a stretch of linear addresses, in one address space: all executable pages that
 * were present when they were read. It replaces what was known of this stretch in this address space; what no run names
 * was not present, or not executable. Contents are those of RECORD_PAGE for the same guest-physical page.
 *
 * A stretch of one page and without runs: the page was mapped after a fault, and mapped to something else or unmapped
 * before anybody looked. What it led to meanwhile is not known, unless a RECORD_PAGE names it. */
struct record_map {
    uint64_t cr3;          /* of the address space, without PCID and flags: where its uppermost table is */
    uint64_t linear, size; /* the stretch, bytes */
    uint64_t
        fault_offset; /* this CPU's trace offset when a fetch from the stretch faulted, upon which the guest changed
                         its tables. They were read at the record's trace_offset: the change was in between, before the
                         stretch was next executed. Equal to trace_offset: nobody knows when. */
    uint64_t number;  /* as of RECORD_PAGE, counted with them: other CPUs have it at the latest where their own
                         records come to this number */
    uint32_t runs;    /* so many struct record_map_run follow, by rising linear address */
    uint32_t flags;   /* RECORD_MAP_LOOKED_AT, RECORD_MAP_ENDED */
};
_Static_assert(sizeof(struct record_map) == 48, "docs/wire.md: a map record's head is 48 bytes");

/* Of a record's flags: there was no fault. The whole address space was looked at, and before, at fault_offset: the
 * change was somewhere in between, and the stretch may have been executed before it as well as behind it. Or there was
 * one, and another CPU has run the space since, which is the same. */
#define RECORD_MAP_LOOKED_AT 0x1u

/* The address space has ended: of what was told of it, by RECORD_PAGEs too, nothing holds from fault_offset, which is
 * the trace_offset, on. Another one may begin in the same tables. The stretch is the first page, without runs. */
#define RECORD_MAP_ENDED 0x2u

#define RECORD_MAP_GLOBAL 0x1u /* of a run's flags: the translation is global, all address spaces share it */
#define RECORD_MAP_USER 0x2u   /* user mode may execute it */

struct record_map_run {
    uint64_t linear, gpa; /* page-aligned; bytes that follow each other in both */
    uint32_t pages;       /* of RECORD_PAGE_SIZE */
    uint16_t flags;       /* RECORD_MAP_* */
    uint16_t page_shift;  /* log2 of the guest's page size: 12, 21, 22, 30 */
};

/* At the record's trace_offset this task of a Linux guest's ran on this CPU, in this space. It is told upon a read
 * or fetch in user memory that faults, where it is not what the CPU has told last of the space; so another task may
 * have run there before, without a fault. */
#define RECORD_TASK_COMM 16u
struct record_task {
    uint64_t cr3;                /* as in struct record_map, but with page-table isolation as it was at the fault */
    uint32_t pid, tgid;          /* in the guest's first PID namespace: the thread's, and its process's */
    uint32_t flags;              /* RECORD_TASK_* */
    uint32_t reserved;           /* 0 */
    char comm[RECORD_TASK_COMM]; /* the thread's name, zeros behind it, 15 bytes at most */
};
_Static_assert(sizeof(struct record_task) == 40, "docs/wire.md: a task record has 40 bytes");

#define RECORD_TASK_BORROWS 0x1u /* by vfork: the space is its parent's, until it executes a program */

enum record_drain_cause { RECORD_DRAIN_PMI = 1, RECORD_DRAIN_FLUSH = 2, RECORD_DRAIN_POLL = 3 };

struct record_drain {
    uint64_t from;        /* trace offset of the first byte handed over */
    uint64_t size;        /* bytes */
    uint32_t cause;       /* enum record_drain_cause */
    uint32_t rtit_status; /* IA32_RTIT_STATUS[31:0] as read */
};

enum record_gap_cause {
    RECORD_GAP_STOPPED = 1,
    RECORD_GAP_ERROR = 2,
    RECORD_GAP_WIRE = 3, /* lost on the way: written by the receiver, tsc_from and tsc_to are 0 */
    RECORD_GAP_DROP = 4, /* policy=drop or ring: no region was free, tracing paused */
    RECORD_GAP_RING = 5, /* overwritten before anything asked for it: policy=ring, or a single range; size is known */
    RECORD_GAP_COMMAND = 6, /* tracing paused by a command */
    RECORD_GAP_OVERRUN = 7, /* the hardware wrote on over bytes that were not yet released */
    RECORD_GAP_CUT = 8 /* the channel took nothing for net.stall or uart.stall seconds: nothing from here on is sent */
};

struct record_gap {
    uint64_t at;   /* trace offset at which bytes are missing */
    uint64_t size; /* bytes known missing, 0 where the hardware cannot say */
    uint64_t tsc_from, tsc_to;
    uint32_t cause;  /* enum record_gap_cause */
    uint32_t detail; /* cause ERROR: enum topa_error, and the entry's number << 8; else 0 */
};

#endif
