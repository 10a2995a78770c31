/*
 * What the parts of soft PT offer each other: soft_flow.c stands on soft_packets.c, that on soft_enables.c and
 * soft_output.c. Private to pt/soft_*.c; core.
 */
#ifndef PT_SOFT_PARTS_H
#define PT_SOFT_PARTS_H

#include "pt/soft/soft_pt.h"

/* --- pt/soft/enables.c ---
 * TriggerEn and PacketEn (with BranchEn); is there a filter range? */
bool soft_trigger_en(const struct soft_pt *pt);
bool soft_packet_en(const struct soft_pt *pt);
bool soft_has_filter(const struct soft_pt *pt);

/* The guest has come to a place by what FilterEn is worked out at. true: a TraceStop range is at stop_ip, which forces
 * FilterEn to 0 (36.4.2.9). */
bool soft_enables_at(struct soft_pt *pt, const struct soft_context *to, uint64_t stop_ip);

/* --- pt/soft/packets.c ---
 * One packet, as far as TriggerEn allows. The IP is compressed; PIP is the one of pt->at, as is MODE.Exec, which is
 * left out where it was told last, unless always. */
void soft_put(struct soft_pt *pt, const struct packet *packet);
void soft_put_plain(struct soft_pt *pt, enum packet_kind kind);
void soft_put_ip(struct soft_pt *pt, enum packet_kind kind, uint64_t ip);
void soft_put_pgd(struct soft_pt *pt); /* TIP.PGD without an IP */
void soft_put_tsc(struct soft_pt *pt);
void soft_put_pip(struct soft_pt *pt);
void soft_put_mode(struct soft_pt *pt, bool always);

/* A TNT bit; and write those that wait. */
void soft_put_tnt(struct soft_pt *pt, bool taken);
void soft_tnt_flush(struct soft_pt *pt);

/* PSB+: the state at pt->at, for a decoder that starts here (36.3.7). */
void soft_put_psb(struct soft_pt *pt);
void soft_psb_if_due(struct soft_pt *pt);

/* "TraceStop" (36.2.5.3). */
void soft_trace_stop(struct soft_pt *pt);

#endif
