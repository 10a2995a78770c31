/*
 * libundertrace: what a machine under the Undertrace hypervisor executed, out of a capture that `undertrace receive`
 * made; or what another one did, out of raw packets or perf.data.
 *
 *     undertrace_open      a capture; undertrace_open_pt, undertrace_open_perf: a foreign trace; any number at once
 *     undertrace_read      the flow of one CPU, or a part of it: a reader
 *     undertrace_next      its next item, or
 *     undertrace_run       all of them, by callbacks
 *
 * Errors are values: the library prints nothing, ends nothing, and keeps nothing outside of its handles. A capture may
 * be used by several threads at once, a reader by one at a time. What is in a structure that grows begins with its
 * size; what the library hands out by pointer may grow at its end. See undertrace(3).
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

/* The library's own, as text. */
const char *undertrace_version(void);

/* What functions return: 0, or one of these. */
enum undertrace_status {
    UNDERTRACE_OK = 0,
    UNDERTRACE_ERROR_MEMORY = -1,
    UNDERTRACE_ERROR_OPEN = -2,     /* a file cannot be opened or read */
    UNDERTRACE_ERROR_NO_TRACE = -3, /* there is none of this CPU */
    UNDERTRACE_ERROR_FORMAT = -4,   /* a record of the capture cannot be */
    UNDERTRACE_ERROR_ARGUMENT = -5  /* what is requested is not possible */
};

#define UNDERTRACE_ERROR_TEXT_SIZE 640

/* Why something could not be done. Functions that take one take NULL too. */
struct undertrace_error {
    int status;                            /* enum undertrace_status */
    char text[UNDERTRACE_ERROR_TEXT_SIZE]; /* one line without its end */
};

/* --- captures
 * ---------------------------------------------------------------------------------------------------------
 */

struct undertrace;

/* Open the capture in a directory. It may still be received: what has arrived is what there is. */
int undertrace_open(struct undertrace **trace, const char *directory, struct undertrace_error *error);

/* An IP range of IA32_RTIT_CTL.ADDRn_CFG, from IA32_RTIT_ADDRn_A to ADDRn_B. */
enum undertrace_range_kind { UNDERTRACE_RANGE_NONE, UNDERTRACE_RANGE_FILTER, UNDERTRACE_RANGE_STOP };
struct undertrace_range {
    uint64_t first, last; /* both are of it */
    uint64_t kind;        /* enum undertrace_range_kind */
};

/* A trace that is no capture: where its code is, and whose CPU it was. The caller sets size to
 * sizeof(struct undertrace_foreign), and what it does not know to 0. */
struct undertrace_foreign {
    size_t size;
    /* Lists of words up to a NULL; NULL: none. */
    const char *const *images;    /* FILE@VADDR, or FILE:OFFSET[-END]:VADDR: a file as it was in memory, or a part */
    const char *const *elf_files; /* FILE[@BASE]: what the file has loaded, where it says or from BASE on */
    const char *root;             /* perf.data: the directory in which mapped files are looked for; NULL: / */
    unsigned family, model, stepping; /* which errata to expect; family 0: by the manual */
    unsigned mtc_freq;                /* MTCFreq of IA32_RTIT_CTL */
    unsigned nominal_ratio; /* core to bus, at which the core runs as fast as the TSC; 0: cycles prove no time */
    uint32_t tsc_ratio[2];  /* CPUID.15H:EBX and EAX; 0: MTC is not used */
    struct undertrace_range ranges[4]; /* by which the CPU filtered */
    uint64_t pid;                      /* of perf.data: the mappings of this program alone, whoever ran; 0: of all */
    uint64_t buffer;                   /* of perf.data: this one alone, from 1 on; 0: all, in one order of time */
};

/* Raw packets: FILE, FILE:OFFSET or FILE:OFFSET-END. They are those of CPU 0. about: NULL is nothing. */
int undertrace_open_pt(struct undertrace **trace, const char *file, const struct undertrace_foreign *about,
                       struct undertrace_error *error);

/* perf.data, as Linux's intel_pt driver recorded it: all that was traced, in one order, as CPU 0. Programs' files are
 * read where they were mapped from; what the file itself says of the CPU counts before what about says. */
int undertrace_open_perf(struct undertrace **trace, const char *file, const struct undertrace_foreign *about,
                         struct undertrace_error *error);

/* NULL is none. Readers of it must have been closed. */
void undertrace_close(struct undertrace *trace);

/* The highest CPU, plus 1. */
unsigned undertrace_nr_cpus(const struct undertrace *trace);

/* A CPU. The caller sets size to sizeof(struct undertrace_cpu). */
struct undertrace_cpu {
    size_t size;
    uint64_t trace_bytes;  /* 0: it has no trace */
    uint64_t rtit_ctl;     /* IA32_RTIT_CTL, or 0 */
    uint32_t tsc_ratio[2]; /* CPUID.15H:EBX and EAX: TSC ticks to ticks of the crystal, or 0 */
    uint32_t ended;        /* its end record has come: the trace is whole but for recorded gaps */
};
int undertrace_cpu(const struct undertrace *trace, unsigned cpu, struct undertrace_cpu *about);

/* --- readers
 * ----------------------------------------------------------------------------------------------------------
 */

struct undertrace_reader;

/* What to read: flags. */
enum undertrace_what {
    UNDERTRACE_PACKETS = 1, /* not together with others */
    UNDERTRACE_BRANCHES = 2,
    UNDERTRACE_BLOCKS = 4,      /* several times slower than branches alone */
    UNDERTRACE_INSTRUCTIONS = 8 /* not together with blocks; slower still */
};

/* How to read. The caller sets size to sizeof(struct undertrace_how), and what it does not use to 0. */
struct undertrace_how {
    size_t size;
    unsigned cpu;
    unsigned what;           /* flags of enum undertrace_what */
    unsigned part, nr_parts; /* part 1 to nr_parts: this part of the flow, for readers in several threads, processes or
                                machines; all parts in order are all of it. 0: all. Not for packets */
};

int undertrace_read(struct undertrace_reader **reader, struct undertrace *trace, const struct undertrace_how *how,
                    struct undertrace_error *error);

/* NULL is none. */
void undertrace_reader_close(struct undertrace_reader *reader);

/* --- items
 * ------------------------------------------------------------------------------------------------------------
 */

enum undertrace_kind {
    UNDERTRACE_BRANCH = 1,
    UNDERTRACE_BLOCK,
    UNDERTRACE_INSTRUCTION,
    UNDERTRACE_LOST, /* what ran here is not known; always delivered */
    UNDERTRACE_PACKET
};

enum undertrace_privilege {
    UNDERTRACE_PRIVILEGE_UNKNOWN, /* Intel PT has no packet for it: an address, in the guest's own layout, may show it
                                   */
    UNDERTRACE_PRIVILEGE_KERNEL,  /* CPL 0: nothing else was traced */
    UNDERTRACE_PRIVILEGE_USER     /* CPL above 0: nothing else was traced */
};

enum undertrace_mode { UNDERTRACE_16, UNDERTRACE_32, UNDERTRACE_64 };

#define UNDERTRACE_NO_TSC 0ull      /* no timing packet has come yet in this part */
#define UNDERTRACE_NO_ERROR (~0ull) /* no timing packet after it, or none before it: there is no bound */
#define UNDERTRACE_NO_CR3 (~0ull)   /* no PIP has come yet after this PSB */

/* Where the guest's code ran. */
struct undertrace_where {
    uint64_t tsc; /* as exact as the timing packets are; for the items after it, too */
    uint64_t cr3; /* bits 51:5 */
    uint16_t cpu;
    uint8_t privilege;  /* enum undertrace_privilege */
    uint8_t mode;       /* enum undertrace_mode */
    uint64_t tsc_error; /* by so many ticks, at most, it ran earlier or later than tsc, as the packets prove */
    uint64_t reserved[1];
};

/* Linear addresses. A branch is a Jcc, LOOPcc or JrCXZ, taken or not, a jump, call or return, IRET, INT, SYSCALL and
 * the like, or an interrupt or exception that was delivered. */
struct undertrace_branch {
    uint64_t from, to; /* to: of what was executed next; 0 where a filter hides it */
};

/* Instructions that were executed in sequence: up to a branch, to another one that packets may report, or to
 * the end of a page. */
struct undertrace_block {
    uint64_t first, last; /* of the first and the last instruction */
    uint64_t end;         /* after the last one's bytes */
    uint32_t instructions;
};

struct undertrace_lost {
    uint64_t begin, end; /* trace offsets of the bytes that are missing or could not be decoded; begin == end:
                            only how often a loop went round is not known */
    uint64_t address;    /* where decoding stopped, or the loop is, or 0 */
    const char *why;     /* stays valid */
    uint32_t recorded;   /* a gap that the hypervisor or the receiver recorded; else the decoder did not get on */
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
    UNDERTRACE_TRIG
};

struct undertrace_packet {
    uint64_t offset;      /* in the trace */
    const uint8_t *bytes; /* size of them, as long as the capture is open */
    const char *name;     /* as `undertrace dump` prints it; stays valid */
    uint64_t payload;     /* one value: bits, IP, CR3, time or what the packet carries, as in the trace */
    uint64_t ip;          /* TIP, TIP.PGE, TIP.PGD, FUP: the whole address; with has_ip */
    uint16_t kind;        /* enum undertrace_packet_kind */
    uint8_t size;
    uint8_t bits;   /* TNT: how many, the oldest in the highest */
    uint8_t has_ip; /* else it is suppressed */
    uint8_t non_root;
};

/* It is valid until the reader's next one. */
struct undertrace_item {
    int kind;                      /* enum undertrace_kind */
    struct undertrace_where where; /* of branches, blocks and instructions; cpu of all */
    union {
        struct undertrace_branch branch;
        struct undertrace_block block;
        uint64_t instruction; /* its address */
        struct undertrace_lost lost;
        struct undertrace_packet packet;
    };
};

/* The next item, in order. NULL: there is none any more; undertrace_reader_status says whether by an error. */
const struct undertrace_item *undertrace_next(struct undertrace_reader *reader);
int undertrace_reader_status(const struct undertrace_reader *reader);

/* What to call, in the order in which it happened. The caller sets size to sizeof(struct undertrace_calls), and what it
 * does not want to NULL. Each returns 0, or what undertrace_run is to end with. Branches come many at a time, of one
 * place: for them this is much faster than items. */
struct undertrace_calls {
    size_t size;
    void *context;
    int (*branches)(void *context, const struct undertrace_where *where, const struct undertrace_branch *branches,
                    size_t count);
    int (*item)(void *context, const struct undertrace_item *item); /* all others */
};

/* What is left, up to the end. Returns 0, an enum undertrace_status, or what a call returned that was not 0; then it
 * can continue, after what was passed to that call. */
int undertrace_run(struct undertrace_reader *reader, const struct undertrace_calls *calls);

#ifdef __cplusplus
}
#endif

#endif
