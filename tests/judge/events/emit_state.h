/* Pending events: many packets bind to a FUP or TIP that follows them, so their events wait for it here. Pure. */
#ifndef JUDGE_EVENTS_EMIT_STATE_H
#define JUDGE_EVENTS_EMIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/judge/events/event.h"

#define EMIT_MOST_WAITING 16u

/* What an event waits for. */
enum emit_wait {
    WAIT_FOR_FUP,        /* a FUP without a TIP */
    WAIT_FOR_FUP_OR_TIP, /* whichever comes first */
    WAIT_FOR_BRANCH_FUP, /* a FUP that a TIP follows */
    WAIT_FOR_TIP,
    WAIT_FOR_PSBEND,
    WAIT_FOR_CFE,
    WAIT_FOR_EXSTOP,
    WAIT_FOR_PWRX
};

struct emit_waiting {
    enum emit_wait wait;
    struct flow_event event;
};

struct emit {
    struct emit_waiting waiting[EMIT_MOST_WAITING];
    unsigned nr_waiting;
    bool mode_known; /* the next two fields, from the last MODE.Exec, are valid */
    bool iflag;
    int mode;
    bool anchored;      /* a packet has given an IP or a branch since tracing was enabled */
    uint64_t anchor;    /* the number of executed instructions at the last such packet: TRIG counts from there */
    bool synced;        /* the last PSB+ was read completely, and there was no error since */
    bool was_tracing;   /* tracing was on at the end of the last stretch */
    bool was_known;     /* was_tracing is valid: not after an OVF whose FUP erratum SKD010 suppressed */
    uint64_t last;      /* the last instruction of the last stretch; 0: none */
    uint64_t error_ip;  /* the IP of the last error, or the next one, if the instruction was executed */
    bool overflow;      /* an OVF waits for its FUP */
    bool boundary;      /* the walk is on its way to the IP in the next PSB+ */
    bool entered;       /* a VMCS or CFE packet came, and its instruction was executed */
    uint64_t from;      /* the last FUP of an event */
    uint64_t resume_ip; /* where execution was when tracing was disabled; 0: not known */
};

#endif
