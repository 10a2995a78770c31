/*
 * Control flow: a stretch of trace from one PSB to the next, and the code that was executed, become branches.
 *
 * On top of libipt's block decoder. What a branch is, and the hash over them, is in decode/check/truth.h.
 */
#ifndef DECODE_FLOW_H
#define DECODE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/code/code_pages.h"

/* What to decode, and how. The same for all stretches of a CPU's trace. */
struct flow_input {
    const uint8_t *trace;
    uint64_t trace_size;
    bool cpu_known; /* false: no errata but the common one are expected */
    uint16_t family;
    uint8_t model, stepping;
    const struct code_pages *pages;
    uint64_t range_kinds, ranges[8]; /* ADDRn_CFG of IA32_RTIT_CTL, from bit 0 on; IA32_RTIT_ADDR0_A, ADDR0_B, ... */
    bool guest_only; /* root is not traced (pt.switch=list, vmcs): what is not told by a PIP is non-root */
};

/* A stretch of trace. */
struct flow_stretch {
    uint64_t begin; /* trace offset of its PSB */
    uint64_t end;   /* trace offset of the next PSB, of a gap, or the trace's size */
    bool has_boundary_ip;
    uint64_t boundary_ip; /* the FUP of the PSB+ at end: where execution stood */
};

/* What became of it. */
struct flow_result {
    uint64_t begin, end;
    uint64_t branches;          /* in non-root */
    uint64_t hash;              /* of them, from TRUTH_HASH_SEED */
    uint64_t instructions;      /* in non-root */
    uint64_t root_instructions; /* the traced ones: those around VM entries and exits */
    uint64_t last_to;           /* the last branch's target */
    uint64_t blocks;
    uint32_t overflows; /* OVF packets */
    int error;          /* 0, or a negative enum pt_error_code: decoding stopped at error_offset */
    uint64_t error_offset, error_ip;
};

/* FLOW errors beyond libipt's: more negative than any of those. */
#define FLOW_ERROR_BOUNDARY (-1000) /* the flow does not come past the address that the next PSB+ names */
#define FLOW_ERROR_LOOP (-1001)     /* a loop without a packet */
#define FLOW_ERROR_IMAGE (-1002)    /* a code page could not be used; said why */
const char *flow_error_text(int error);

/* What to call for every branch, and for every instruction of the guest, in order, before the stretch's result is
 * complete. NULL: nothing; without instruction, decoding is several times as fast. */
struct flow_hooks {
    void (*branch)(void *context, uint64_t from, uint64_t to);
    void (*instruction)(void *context, uint64_t ip);
    void *context;
};

struct flow; /* the state of one thread */

/* at: trace offset of the first stretch. NULL: said why. */
struct flow *flow_start(const struct flow_input *input, uint64_t at, const struct flow_hooks *hooks);
void flow_end(struct flow *flow);

/* Decode a stretch. Stretches come in the order of the trace. */
void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result);

#endif
