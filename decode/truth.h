/*
 * The truth file: what the emulated CPU really executed. The PT model (tests/model/) writes it, `undertrace verify`
 * reads it.
 *
 * A branch, here and in the decoder, is one of:
 *   - a branch instruction that retired in non-root operation, taken or not: Jcc, LOOPcc, JrCXZ; JMP, CALL, RET, near
 *     or far, direct or indirect; IRET; INT n, INT1, INT3, INTO; SYSCALL, SYSRET, SYSENTER, SYSEXIT. from = linear
 *     address of the instruction, to = linear address of the next instruction executed (architecturally next);
 *   - an event delivered through the guest's IDT (interrupt, NMI, exception, also one injected by VM entry). from = the
 *     address a FUP reports (next instruction for interrupts and traps, the instruction itself for faults), to = the
 *     handler.
 * VM entries and VM exits are not branches; neither are MOV CR3 or REP iterations. Linear addresses outside 64-bit mode
 * are CS.base + IP, 32 bits. Branches count whether or not tracing was enabled.
 *
 * With the model's scope=guest, a branch counts if PT traces the code that it comes from. If it leads to code that is
 * not traced, `to` is the target that a packet or the code gives, or TRUTH_TO_UNRESOLVED. An event that leaves the
 * context (SDM rows 11c, 12c, 13c) does not count, because its packets are those of a VM exit.
 *
 * With scope=traced, a branch counts, also in root operation, if PT traces both ends. VM entries (from = VMLAUNCH or
 * VMRESUME) and VM exits (from = the address that a FUP reports) are branches then.
 *
 * The hash covers the branches since the last checkpoint. There is a checkpoint for each PSB, also for one that is
 * generated in root operation. Core: layout and hash only, little-endian.
 */
#ifndef DECODE_TRUTH_H
#define DECODE_TRUTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRUTH_MAGIC "UTTRUTH1"

struct truth_file_header {
    char magic[8];
    uint32_t version; /* 1 */
    uint32_t nr_cpus;
};

enum truth_kind { TRUTH_CHECKPOINT = 1, TRUTH_END = 2 };

/* At a PSB: the interval that ends here. */
struct truth_checkpoint {
    uint32_t kind; /* TRUTH_CHECKPOINT */
    uint32_t cpu;
    uint64_t trace_offset; /* of the PSB's first byte: bytes this CPU has written since reset */
    uint64_t branches;     /* in the interval */
    uint64_t hash;         /* of the interval, from TRUTH_HASH_SEED */
    uint64_t instructions; /* non-root instructions retired since reset: a running total */
    uint64_t last_to;      /* target of the interval's last branch, for messages */
};

#define TRUTH_NR_EXIT_REASONS 80

/* When the emulator ends: the last interval and the CPU's totals. */
struct truth_end {
    uint32_t kind; /* TRUTH_END */
    uint32_t cpu;
    uint64_t trace_bytes;
    uint64_t branches; /* of the last interval */
    uint64_t hash;
    uint64_t branches_total;
    uint64_t non_root_instructions; /* retired since reset, from the first VM entry on */
    uint64_t root_instructions;     /* retired between the first VM entry and the end, in root */
    uint64_t topa_pmis;
    uint64_t overflows;
    uint64_t psbs;
    uint64_t vm_exits[TRUTH_NR_EXIT_REASONS]; /* by basic exit reason */
};

#define TRUTH_HASH_SEED 0x9e3779b97f4a7c15ull

static inline uint64_t truth_hash(uint64_t hash, uint64_t from, uint64_t to)
{
    hash = (hash ^ from) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
    hash = (hash ^ to) * 0xc4ceb9fe1a85ec53ull;
    return hash ^ (hash >> 29);
}

/* The target of a branch that left the traced code, if neither a packet nor the code gives it: it left the context, or
 * it was a compressed return that left the IP ranges. */
#define TRUTH_TO_UNRESOLVED 0ull

/* Optional second file, for small runs: every branch, in order. If packets were lost in an overflow, an entry with
 * from = TRUTH_LIST_OVERFLOW follows the last branch that may be missing. `to` is the IP at which the trace resumes; 0:
 * the next TIP.PGE gives it. */
#define TRUTH_LIST_OVERFLOW (~0ull)
struct truth_branch {
    uint64_t from;
    uint64_t to;
};

#ifdef __cplusplus
}
#endif

#endif
