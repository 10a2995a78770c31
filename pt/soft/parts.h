/*
 * What the files of soft PT offer each other: flow.c calls packets.c, which calls enables.c and registers.c. Private to
 * pt/soft/.
 */
#ifndef PT_SOFT_PARTS_H
#define PT_SOFT_PARTS_H

#include "pt/soft/soft_pt.h"

/* --- pt/soft/enables.c ---
 * TriggerEn and PacketEn (with BranchEn); is there a filter range? */
bool soft_trigger_en(const struct soft_pt *pt);
bool soft_packet_en(const struct soft_pt *pt);
bool soft_has_filter(const struct soft_pt *pt);

/* The guest's state is now to, after an instruction at which FilterEn is evaluated. true: a TraceStop range contains
 * stop_ip, which forces FilterEn to 0 (36.4.2.9). */
bool soft_enables_at(struct soft_pt *pt, const struct soft_context *to, uint64_t stop_ip);

/* --- pt/soft/packets.c ---
 * Write one packet if TriggerEn is set. The IP is compressed. PIP and MODE.Exec are those of pt->at; MODE.Exec is
 * omitted if it has not changed since the last one, unless always is set. */
void soft_put(struct soft_pt *pt, const struct packet *packet);
void soft_put_plain(struct soft_pt *pt, enum packet_kind kind);
void soft_put_ip(struct soft_pt *pt, enum packet_kind kind, uint64_t ip);
void soft_put_pgd(struct soft_pt *pt); /* TIP.PGD without an IP */
void soft_put_tsc(struct soft_pt *pt);
void soft_put_pip(struct soft_pt *pt);
void soft_put_mode(struct soft_pt *pt, bool always);

/* Add a TNT bit; write the bits that were added. */
void soft_put_tnt(struct soft_pt *pt, bool taken);
void soft_tnt_flush(struct soft_pt *pt);

/* PSB+: the state at pt->at, for a decoder that starts here (36.3.7). */
void soft_put_psb(struct soft_pt *pt);
void soft_psb_if_due(struct soft_pt *pt);

/* "TraceStop" (36.2.5.3). */
void soft_trace_stop(struct soft_pt *pt);

#endif
