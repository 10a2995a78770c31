/*
 * libundertrace decodes Intel PT traces: captures of machines under the Undertrace hypervisor, as written by
 * `undertrace receive`, and raw packets or perf.data of other machines.
 *
 *     undertrace_open      open a capture; undertrace_open_pt, undertrace_open_perf: a foreign trace
 *     undertrace_read      create a reader for the flow of one CPU, or for a part of it
 *     undertrace_next      get the reader's next item, or
 *     undertrace_run       deliver all items through callbacks
 *
 * The library returns errors, never prints or exits, and has no state outside its handles. Several threads may use a
 * capture at the same time, but only one a reader. Structures that the caller passes and that may grow begin with their
 * size; structures that the library returns by pointer may grow at their end. See libundertrace(3).
 */
#ifndef UNDERTRACE_H
#define UNDERTRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UNDERTRACE_VERSION_MAJOR 0
#define UNDERTRACE_VERSION_MINOR 1

/* The version of the linked library, as text. */
const char *undertrace_version(void);

/* Functions return 0 or one of these. */
enum undertrace_status {
    UNDERTRACE_OK = 0,
    UNDERTRACE_ERROR_MEMORY = -1,
    UNDERTRACE_ERROR_OPEN = -2,     /* a file cannot be opened or read */
    UNDERTRACE_ERROR_NO_TRACE = -3, /* this CPU has no trace */
    UNDERTRACE_ERROR_FORMAT = -4,   /* the capture has an impossible record */
    UNDERTRACE_ERROR_ARGUMENT = -5  /* the arguments are invalid */
};

#define UNDERTRACE_ERROR_TEXT_SIZE 640

/* Describes an error. Functions also accept NULL for it. */
struct undertrace_error {
    int status;                            /* enum undertrace_status */
    char text[UNDERTRACE_ERROR_TEXT_SIZE]; /* one line, without a newline */
};

/* --- captures
 * ---------------------------------------------------------------------------------------------------------
 */

struct undertrace;

/* Open the capture in a directory. If it is still being received, it ends with what has arrived. */
int undertrace_open(struct undertrace **trace, const char *directory, struct undertrace_error *error);

/* An IP range of IA32_RTIT_CTL.ADDRn_CFG, from IA32_RTIT_ADDRn_A to ADDRn_B. */
enum undertrace_range_kind { UNDERTRACE_RANGE_NONE, UNDERTRACE_RANGE_FILTER, UNDERTRACE_RANGE_STOP };
struct undertrace_range {
    uint64_t first, last; /* inclusive */
    uint64_t kind;        /* enum undertrace_range_kind */
};

/* Describes a foreign trace: where its code is, and which CPU made it. The caller sets size to
 * sizeof(struct undertrace_foreign), and unknown members to 0. */
struct undertrace_foreign {
    size_t size;
    /* NULL-terminated lists; NULL: none. */
    const char *const *images; /* FILE@VADDR, or FILE:OFFSET[-END]:VADDR: a file, or a part of it, at an address */
    const char *const
        *elf_files;   /* FILE[@BASE]: the loadable segments of a file, at their own addresses or from BASE */
    const char *root; /* perf.data: the root directory of the mapped files; NULL: / */
    unsigned family, model, stepping; /* for errata; family 0: none */
    unsigned mtc_freq;                /* MTCFreq of IA32_RTIT_CTL */
    unsigned nominal_ratio; /* core to bus ratio at the TSC's frequency; 0: unknown, CYC packets are not used */
    uint32_t tsc_ratio[2];  /* CPUID.15H:EBX and EAX; 0: MTC is not used */
    struct undertrace_range ranges[4]; /* the CPU's IP filters */
    uint64_t pid;                      /* of perf.data: use only this process's mappings; 0: those of all */
    uint64_t buffer;                   /* of perf.data: only this buffer, counted from 1; 0: all, merged by time */
};

/* Open raw packets: FILE, FILE:OFFSET or FILE:OFFSET-END, as CPU 0. about may be NULL. */
int undertrace_open_pt(struct undertrace **trace, const char *file, const struct undertrace_foreign *about,
                       struct undertrace_error *error);

/* Open perf.data with intel_pt recordings: all of them merged by time, as CPU 0. The code comes from the files that
 * were mapped. Properties of the CPU in the file take precedence over those in about. */
int undertrace_open_perf(struct undertrace **trace, const char *file, const struct undertrace_foreign *about,
                         struct undertrace_error *error);

/* trace may be NULL. Close its readers first. */
void undertrace_close(struct undertrace *trace);

/* The highest CPU number plus 1. */
unsigned undertrace_nr_cpus(const struct undertrace *trace);

/* Properties of a CPU. The caller sets size to sizeof(struct undertrace_cpu). */
struct undertrace_cpu {
    size_t size;
    uint64_t trace_bytes;       /* 0: no trace */
    uint64_t rtit_ctl;          /* IA32_RTIT_CTL, or 0 */
    uint32_t tsc_ratio[2];      /* CPUID.15H:EBX and EAX: TSC ticks to ticks of the crystal, or 0 */
    uint32_t ended;             /* the end record arrived: the trace is complete, except for recorded gaps */
    uint64_t lost_record_bytes; /* bytes of records that did not arrive: code after them may be unknown or wrong */
};
int undertrace_cpu(const struct undertrace *trace, unsigned cpu, struct undertrace_cpu *about);

/* --- readers
 * ----------------------------------------------------------------------------------------------------------
 */

struct undertrace_reader;

/* Flags: what to read. */
enum undertrace_what {
    UNDERTRACE_PACKETS = 1, /* cannot be combined with others */
    UNDERTRACE_BRANCHES = 2,
    UNDERTRACE_BLOCKS = 4,      /* several times slower than branches */
    UNDERTRACE_INSTRUCTIONS = 8 /* cannot be combined with blocks; slower still */
};

/* Options of a reader. The caller sets size to sizeof(struct undertrace_how), and unused members to 0. */
struct undertrace_how {
    size_t size;
    unsigned cpu;
    unsigned what;           /* flags of enum undertrace_what */
    unsigned part, nr_parts; /* part 1 to nr_parts: read this part of the flow, for several threads, processes or
                                machines; the concatenated parts are the whole flow. 0: all. Not for packets */
};

int undertrace_read(struct undertrace_reader **reader, struct undertrace *trace, const struct undertrace_how *how,
                    struct undertrace_error *error);

/* reader may be NULL. */
void undertrace_reader_close(struct undertrace_reader *reader);

/* --- items
 * ------------------------------------------------------------------------------------------------------------
 */

enum undertrace_kind {
    UNDERTRACE_BRANCH = 1,
    UNDERTRACE_BLOCK,
    UNDERTRACE_INSTRUCTION,
    UNDERTRACE_LOST, /* execution here is unknown; always delivered */
    UNDERTRACE_PACKET
};

enum undertrace_privilege {
    UNDERTRACE_PRIVILEGE_UNKNOWN, /* no packet reports it; the address may show it */
    UNDERTRACE_PRIVILEGE_KERNEL,  /* CPL 0: only this was traced */
    UNDERTRACE_PRIVILEGE_USER     /* CPL above 0: only this was traced */
};

enum undertrace_mode { UNDERTRACE_16, UNDERTRACE_32, UNDERTRACE_64 };

#define UNDERTRACE_NO_TSC 0ull      /* no timing packet precedes in this part */
#define UNDERTRACE_NO_ERROR (~0ull) /* no bound: no timing packet before or after the item */
#define UNDERTRACE_NO_CR3 (~0ull)   /* no PIP since the PSB */

/* Where and when the guest's code ran. */
struct undertrace_where {
    uint64_t tsc; /* from the last timing packets */
    uint64_t cr3; /* bits 51:5 */
    uint16_t cpu;
    uint8_t privilege;  /* enum undertrace_privilege */
    uint8_t mode;       /* enum undertrace_mode */
    uint64_t tsc_error; /* the largest possible difference from tsc, in ticks */
    uint64_t reserved[1];
};

/* Linear addresses. A branch is a Jcc, LOOPcc or JrCXZ, taken or not, a jump, call or return, IRET, INT, SYSCALL and
 * the like, or the delivery of an interrupt or exception. */
struct undertrace_branch {
    uint64_t from, to; /* to: the next executed instruction; 0: hidden by a filter */
};

/* Consecutive instructions, up to a branch, to another instruction that packets may report, or to the end of a page. */
struct undertrace_block {
    uint64_t first, last; /* addresses of the first and the last instruction */
    uint64_t end;         /* the address after the last one */
    uint32_t instructions;
};

struct undertrace_lost {
    uint64_t begin, end; /* trace offsets of the bytes that are missing or could not be decoded; begin == end:
                            only the number of iterations of a loop is unknown */
    uint64_t address;    /* where decoding stopped, or of the loop, or 0 */
    const char *why;     /* static text */
    uint32_t recorded;   /* 1: a gap recorded by the hypervisor or receiver; 0: a decode error */
};

/* Kinds of packets, by the manual's names. */
enum undertrace_packet_kind {
    UNDERTRACE_PAD,
    UNDERTRACE_TNT_8,
    UNDERTRACE_TNT_64,
    UNDERTRACE_TIP,
    UNDERTRACE_TIP_PGE,
    UNDERTRACE_TIP_PGD,
    UNDERTRACE_FUP,
    UNDERTRACE_PIP,
    UNDERTRACE_MODE_EXEC,
    UNDERTRACE_MODE_TSX,
    UNDERTRACE_TRACESTOP,
    UNDERTRACE_CBR,
    UNDERTRACE_TSC,
    UNDERTRACE_MTC,
    UNDERTRACE_TMA,
    UNDERTRACE_CYC,
    UNDERTRACE_VMCS,
    UNDERTRACE_OVF,
    UNDERTRACE_PSB,
    UNDERTRACE_PSBEND,
    UNDERTRACE_MNT,
    UNDERTRACE_PTW,
    UNDERTRACE_EXSTOP,
    UNDERTRACE_MWAIT,
    UNDERTRACE_PWRE,
    UNDERTRACE_PWRX,
    UNDERTRACE_CFE,
    UNDERTRACE_EVD,
    UNDERTRACE_TRIG,
    UNDERTRACE_BBP,
    UNDERTRACE_BIP,
    UNDERTRACE_BEP
};

struct undertrace_packet {
    uint64_t offset;      /* trace offset */
    const uint8_t *bytes; /* valid until the capture is closed */
    const char *name;     /* as in `undertrace dump`; static */
    uint64_t payload;     /* the raw payload: bits, IP, CR3, time or others */
    uint64_t ip;          /* TIP, TIP.PGE, TIP.PGD, FUP: the full address, if has_ip */
    uint16_t kind;        /* enum undertrace_packet_kind */
    uint8_t size;
    uint8_t bits;   /* TNT: their number; the highest bit is the oldest */
    uint8_t has_ip; /* 0: the IP is suppressed */
    uint8_t non_root;
};

/* Valid until the reader returns the next one. */
struct undertrace_item {
    int kind;                      /* enum undertrace_kind */
    struct undertrace_where where; /* of branches, blocks and instructions; cpu is always set */
    union {
        struct undertrace_branch branch;
        struct undertrace_block block;
        uint64_t instruction; /* its address */
        struct undertrace_lost lost;
        struct undertrace_packet packet;
    };
};

/* The next item, in order. NULL: the end, or an error; see undertrace_reader_status. */
const struct undertrace_item *undertrace_next(struct undertrace_reader *reader);
int undertrace_reader_status(const struct undertrace_reader *reader);

/* Callbacks, called in the order of execution. The caller sets size to sizeof(struct undertrace_calls), and unused
 * callbacks to NULL. A callback that returns another value than 0 ends undertrace_run. Branches with the same context
 * are delivered together, which is much faster than single items. */
struct undertrace_calls {
    size_t size;
    void *context;
    int (*branches)(void *context, const struct undertrace_where *where, const struct undertrace_branch *branches,
                    size_t count);
    int (*item)(void *context, const struct undertrace_item *item); /* all other items */
};

/* Deliver the rest of the flow. Returns 0, an enum undertrace_status, or the value other than 0 that a callback
 * returned. In the last case another call continues after the items of that callback. */
int undertrace_run(struct undertrace_reader *reader, const struct undertrace_calls *calls);

#ifdef __cplusplus
}
#endif

#endif
