/* How a session moves through the trace. */
#ifndef DECODE_CLI_GDB_STEPS_H
#define DECODE_CLI_GDB_STEPS_H

#include "decode/cli/gdb/session.h"

/* Move the selected CPU by one instruction. With session->over, an interrupt or exception that comes there is passed
 * with its handler, unless a breakpoint is in the way. */
enum replay_stop session_step(struct session *session, bool backward);

/* Step forwards while instructions in [begin, end) are executed; with session->over, by the same function. One step at
 * least. */
enum replay_stop session_step_range(struct session *session, uint64_t begin, uint64_t end);

/* To the next breakpoint. */
enum replay_stop session_run(struct session *session, bool backward);

#endif
