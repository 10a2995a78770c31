/* The input of decoding, and the errors that it can have. */
#ifndef DECODE_FLOW_INPUT_H
#define DECODE_FLOW_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/cpu_clock.h"
#include "decode/capture/error.h"
#include "decode/code/code_pages.h"

enum flow_error {
    FLOW_OK,
    FLOW_ERROR_BOUNDARY,    /* the flow does not reach the IP in the next PSB+ */
    FLOW_ERROR_LOOP,        /* a loop without a packet: the number of its iterations is unknown */
    FLOW_ERROR_IMAGE,       /* a code page could not be used */
    FLOW_ERROR_NO_CODE,     /* no page of the capture has the instruction */
    FLOW_ERROR_INSTRUCTION, /* the bytes of the code are not an instruction */
    FLOW_ERROR_OPCODE,      /* no packet begins with these bytes */
    FLOW_ERROR_PACKET,      /* a packet with an invalid payload */
    FLOW_ERROR_CONTEXT,     /* a packet that is not valid at this point */
    FLOW_ERROR_MISMATCH,    /* the packet does not match the instruction */
    FLOW_ERROR_SYNC,
    FLOW_ERROR_RETURN, /* a compressed return without its call */
    FLOW_ERROR_NO_IP,
    FLOW_ERROR_MEMORY,
    FLOW_ERROR_OTHER,
    FLOW_ERROR_NO_PSB,      /* bytes with no PSB before them: after a gap, or at the trace's start */
    FLOW_ERROR_RUN_IN,      /* a packet that overlaps the next PSB */
    FLOW_ERROR_LEFT_OVER,   /* TNT bits or an event that were not consumed before the next PSB */
    FLOW_ERROR_CUT,         /* the trace ends while tracing is on */
    FLOW_ERROR_EVENT_TRACE, /* a FUP without a branch: Event Trace, Trigger Tracing */
    FLOW_ERROR_DISAGREE,    /* decoding by instructions and by blocks yields different results */
    FLOW_ERROR_SEGMENT,     /* the code segment may have a base, which no record has */
    FLOW_NR_ERRORS
};

/* It is the same for all stretches of a CPU's trace. */
struct flow_input {
    const uint8_t *trace;
    uint64_t trace_size;
    bool cpu_known; /* false: no errata are expected, except one that all CPUs have */
    uint16_t family;
    uint8_t model, stepping;
    const struct code_pages *pages;
    uint64_t range_kinds, ranges[8]; /* ADDRn_CFG of IA32_RTIT_CTL, from bit 0 on; IA32_RTIT_ADDR0_A, ADDR0_B, ... */
    uint32_t cpuid_15_eax, cpuid_15_ebx; /* CPUID.15H: the TSC's frequency divided by the crystal's is EBX/EAX */
    const struct cpu_clock *clock;       /* of the CPU; NULL: its TSC is the clock of the trace */
    uint8_t mtc_freq;                    /* MTCFreq of IA32_RTIT_CTL */
    bool returns_whole;                  /* DisRETC: no RET is compressed */
    uint8_t nominal_ratio;               /* core to bus, at which the core runs as fast as the TSC; 0: not known */
    bool code_changes; /* code may change while tracing is on: it is valid from the next entry to user mode on */
    bool guest_only;   /* root operation is not traced (pt.switch=list, vmcs) */
};

#endif
