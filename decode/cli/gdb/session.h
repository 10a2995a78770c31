/* A session of gdb with a trace: CPUs are threads, and time runs in both directions. */
#ifndef DECODE_CLI_GDB_SESSION_H
#define DECODE_CLI_GDB_SESSION_H

#include "decode/cli/gdb/rsp.h"
#include "decode/replay/replay.h"

#define SESSION_MOST_BREAKS 256u

struct session {
    struct rsp rsp;
    const struct indexed_capture *indexed;
    struct replay_cpu *cpus; /* those that executed something */
    size_t nr_cpus, current; /* current: the thread that gdb has selected */
    uint64_t breaks[SESSION_MOST_BREAKS];
    size_t nr_breaks;
};

/* Serve packets until gdb detaches or has gone. */
void session_serve(struct session *session);

#endif
