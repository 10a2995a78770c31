/* How a trace ended, by its records and by the calls that were open then. Pure. */
#ifndef DECODE_MEASURE_ENDING_H
#define DECODE_MEASURE_ENDING_H

#include "decode/capture/capture.h"
#include "decode/measure/open_calls.h"

enum ending_kind {
    ENDING_TRIPLE_FAULT, /* a triple fault of the guest */
    ENDING_STOPPED,      /* the hypervisor stopped the machine: its last log lines say why */
    ENDING_SLEEP,        /* the guest put the machine to sleep */
    ENDING_RESET,        /* a function that resets the machine was open at the end, */
    ENDING_POWER_OFF,    /* or one that switches it off */
    ENDING_DOWN,         /* the machine went down; it is not known how */
    ENDING_CHANNEL,      /* the channel accepted nothing for net.stall= or uart.stall= seconds: untraced from then on */
    ENDING_WIRE,         /* frames at the end were lost: the receiver has later records */
    ENDING_SILENCE       /* no end record: machine, wire or receiver stopped without notice */
};

struct ending {
    enum ending_kind kind;
    const char *function;   /* ENDING_RESET, ENDING_POWER_OFF: the symbol; NULL: none */
    struct record_text log; /* ENDING_TRIPLE_FAULT, ENDING_STOPPED: the line of the log; size 0: none */
    unsigned nr_ended;      /* CPUs with an end record, */
    unsigned nr_cpus;       /* of so many that are traced */
};

struct ending ending_find(const struct capture *capture, const struct open_calls *calls);

/* The last lines of the hypervisor's log, the newest first. Returns their number, at most count. */
size_t ending_log(struct record_text *lines, size_t count, const struct capture *capture);

#endif
