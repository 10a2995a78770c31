/* A session of gdb with a trace: CPUs are threads, and time runs in both directions. */
#ifndef DECODE_CLI_GDB_SESSION_H
#define DECODE_CLI_GDB_SESSION_H

#include "decode/cli/gdb/rsp.h"
#include "decode/cli/gdb/unwind.h"
#include "decode/replay/replay.h"

#define SESSION_MOST_BREAKS 256u

struct session {
    struct rsp rsp;
    const struct indexed_capture *indexed;
    struct replay_cpu *cpus; /* those that executed something */
    size_t nr_cpus, current; /* current: the thread that gdb has selected */
    uint64_t breaks[SESSION_MOST_BREAKS];
    size_t nr_breaks;
    struct unwind unwind;
    bool over; /* gdb has frames, and steps by lines: pass interrupts and exceptions with their handlers */
};

static inline struct replay_cpu *session_cpu(struct session *session)
{
    return &session->cpus[session->current];
}

/* "CPU 1 at 12.345678901 s". Returns text. */
#define SESSION_TIME_SIZE 64u
char *session_time(char text[SESSION_TIME_SIZE], const struct session *session, const struct replay_cpu *cpu);

/* Serve packets until gdb detaches or has gone. */
void session_serve(struct session *session);

#endif
