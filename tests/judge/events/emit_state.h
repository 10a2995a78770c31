/*
 * State of events: many packets bind to a FUP or TIP that follows them, so their events wait here until it has come.
 * Pure.
 */
#ifndef JUDGE_EVENTS_EMIT_STATE_H
#define JUDGE_EVENTS_EMIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/judge/events/event.h"

#define EMIT_MOST_WAITING 16u

/* What an event waits for. */
enum emit_wait {
    WAIT_FOR_FUP,        /* that belongs to it alone */
    WAIT_FOR_FUP_OR_TIP, /* whichever comes first */
    WAIT_FOR_BRANCH_FUP, /* a TIP follows that FUP */
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
    bool mode_known; /* of the last MODE.Exec: */
    bool iflag;
    int mode;
    bool anchored;      /* a packet gave an IP or a branch since tracing is on, */
    uint64_t anchor;    /* and so many instructions were executed when it was: what TRIG counts from */
    bool synced;        /* the last PSB+ was read to its end, and no error since */
    bool was_tracing;   /* where the last stretch ended, */
    bool was_known;     /* which is not known after an OVF whose FUP erratum SKD010 suppressed */
    uint64_t last;      /* the last instruction before its end; 0: none */
    uint64_t error_ip;  /* where an error was, or after it, if it was the instruction's */
    bool overflow;      /* an OVF waits for its FUP */
    bool boundary;      /* the walk to the IP in the next PSB+ */
    bool entered;       /* a VMCS or CFE packet came, and its instruction was executed */
    uint64_t from;      /* the last FUP of an event */
    uint64_t resume_ip; /* where execution was when tracing was disabled; 0: not known */
};

#endif
