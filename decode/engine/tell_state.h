/*
 * Events on their way to who asked for them: packets that tell of one often bind to a FUP or TIP behind them, and wait
 * here until it has come. Pure.
 */
#ifndef DECODE_ENGINE_TELL_STATE_H
#define DECODE_ENGINE_TELL_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow_event.h"

#define TELL_MOST_WAITING 16u

/* What an event waits for. */
enum tell_wait {
    TELL_FOR_FUP,        /* that belongs to it alone */
    TELL_FOR_FUP_OR_TIP, /* whichever comes first */
    TELL_FOR_BRANCH_FUP, /* a TIP follows that FUP */
    TELL_FOR_TIP,
    TELL_FOR_PSBEND,
    TELL_FOR_CFE,
    TELL_FOR_EXSTOP,
    TELL_FOR_PWRX
};

struct tell_waiting {
    enum tell_wait wait;
    struct flow_event event;
};

struct tell {
    bool on; /* there is a hook */
    struct tell_waiting waiting[TELL_MOST_WAITING];
    unsigned nr_waiting;
    bool mode_known; /* of the last MODE.Exec: */
    bool iflag;
    int mode;
    bool anchored;      /* an IP or a branch was told since tracing is on, */
    uint64_t anchor;    /* and so many instructions were executed when it was: what TRIG counts from */
    bool synced;        /* the last PSB+ was read to its end, and no error since */
    bool was_tracing;   /* where the last stretch ended, */
    bool was_known;     /* which is not known behind an OVF that erratum SKD010 took the FUP of */
    uint64_t last;      /* the last instruction before its end; 0: none */
    uint64_t error_ip;  /* where an error was, or behind it, if it was the instruction's */
    bool overflow;      /* an OVF waits for its FUP */
    bool boundary;      /* the walk to where the next PSB+ says execution stood */
    bool entered;       /* a VMCS or CFE packet told of engine.entered */
    uint64_t from;      /* the last FUP of an event */
    uint64_t resume_ip; /* where execution stood when tracing was disabled; 0: not known */
};

#endif
