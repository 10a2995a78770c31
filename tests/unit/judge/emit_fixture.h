/* Traces made up packet by packet over a few bytes of code, and the decoded events and instructions, as ptxed would
 * print them. */
#ifndef TESTS_UNIT_JUDGE_EMIT_FIXTURE_H
#define TESTS_UNIT_JUDGE_EMIT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/packet/packet.h"

#define CODE 0x1000u

extern size_t emit_trace_size;       /* bytes that were put */
extern bool emit_ticks, emit_resync; /* of struct events_sink */

extern size_t emit_gap; /* the packets before and after this offset do not belong together; 0: all do */

/* One packet more. */
void emit_put(struct packet packet);

/* A trace begins, with a PSB+: tracing is on, at CODE, or off. And it ends: tracing is disabled by an event at ip. */
void emit_begin(bool tracing);
void emit_finish(uint64_t ip);

/* The lines that ptxed would print for the trace over the code, with a space in place of each end of line. */
const char *emitted_by(const char *code, size_t code_size);

#define PUT(...) emit_put((struct packet){__VA_ARGS__})
#define PUT_IP(what, address) PUT(.kind = (what), .ip_bytes = PT_IP_SEXT_48, .ip = (address))
#define NOPS "\x90\x90\x90\x90\x90\x90"
#define EMITTED(code) emitted_by(code, sizeof(code) - 1)

#endif
