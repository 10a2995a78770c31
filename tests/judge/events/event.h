/* Events: what packets report in addition to instructions. */
#ifndef JUDGE_EVENTS_EVENT_H
#define JUDGE_EVENTS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum flow_event_kind {
    FLOW_EVENT_ENABLED,   /* at ip; flag: where it was disabled */
    FLOW_EVENT_DISABLED,  /* by the last instruction; ip: where it led to */
    FLOW_EVENT_LEFT,      /* disabled by an event at from; ip: where that led to */
    FLOW_EVENT_INTERRUPT, /* an interrupt, an exception, a VM exit or a transaction's abort, at from, to ip */
    FLOW_EVENT_PAGING,    /* value: CR3; flag: non-root; ip: where another event led to, if it came with one */
    FLOW_EVENT_VMCS,      /* value: the VMCS's address; ip: as of PAGING */
    FLOW_EVENT_OVERFLOW,  /* ip: where tracing went on */
    FLOW_EVENT_MODE,      /* value: enum instruction_mode */
    FLOW_EVENT_TSX,       /* value: enum flow_event_tsx; flag: it was so already, a PSB+ repeats it */
    FLOW_EVENT_STOP,      /* TraceStop */
    FLOW_EVENT_EXSTOP,
    FLOW_EVENT_MWAIT, /* value: as of the packet, and of these: */
    FLOW_EVENT_PWRE,
    FLOW_EVENT_PWRX,
    FLOW_EVENT_PTWRITE, /* flag: a FUP gave its IP; else it follows from the code */
    FLOW_EVENT_CBR,
    FLOW_EVENT_MNT,
    FLOW_EVENT_IF,    /* value: RFLAGS.IF */
    FLOW_EVENT_CFE,   /* value: vector; type, data: as of its packets */
    FLOW_EVENT_TRIG,  /* value: which; icnt, flag: more than these */
    FLOW_EVENT_ERROR, /* decoding stopped at ip; value: trace offset after what was read, and PADs there; error; flag:
                       * before it began */
    FLOW_EVENT_TICK,  /* with flow_input.ticks, time may have passed: the branch of a TIP, at ip, or the first one of a
                       * TNT, to ip */
    FLOW_EVENT_PSB,   /* with flow_input.ticks: a PSB+ was read */
    FLOW_EVENT_END    /* the trace ends while tracing is on */
};

enum flow_event_tsx { FLOW_TSX_COMMITTED, FLOW_TSX_BEGUN, FLOW_TSX_ABORTED };

/* The EVD packets before a CFE. */
#define FLOW_EVENT_NR_DATA 3u

struct flow_event {
    enum flow_event_kind kind;
    bool ip_known, flag;
    uint64_t ip, from, value;
    uint64_t tsc; /* 0: not known; only with FLOW_NEED_TIME */
    uint64_t at;  /* trace offset of the packet at which it is emitted */
    uint8_t type;
    uint8_t data_known; /* a bit for each of data */
    uint16_t icnt;
    bool psb_taken; /* of an error: the IP of the next PSB+ was not reached */
    bool again;     /* of an error: on the attempt to continue after it */
    int error;      /* enum flow_error; of FLOW_ERROR_RETURN type is 1 where its bit is a zero */
    uint64_t data[FLOW_EVENT_NR_DATA];
};

#endif
