/* Kind: core */
/* Soft PT: writes packets, and keeps the state that compression of later packets depends on. Source: SDM "Packet
 * Definitions" (36.4.2). */
#include "pt/rtit.h"
#include "pt/soft/parts.h"

#define SHORT_TNT_BITS 6u
#define PSB_BYTES_MIN 2048u
#define CR3_ADDRESS 0x000fffffffffffe0ull /* without PCID; PAE page tables are 32-byte aligned */

void soft_put(struct soft_pt *pt, const struct packet *packet)
{
    uint8_t bytes[PT_PACKET_MAX_SIZE];

    if (soft_trigger_en(pt))
        soft_pt_output(pt, bytes, (uint32_t)packet_encode(bytes, packet));
}

void soft_put_plain(struct soft_pt *pt, enum packet_kind kind)
{
    soft_put(pt, &(struct packet){.kind = kind});
}

void soft_put_ip(struct soft_pt *pt, enum packet_kind kind, uint64_t ip)
{
    struct packet packet = {.kind = kind};

    packet.ip_bytes = (uint8_t)pt_ip_compress(&packet.ip, ip, pt->last_ip);
    pt->last_ip = ip;
    soft_put(pt, &packet);
}

void soft_put_pgd(struct soft_pt *pt)
{
    soft_put(pt, &(struct packet){.kind = PT_PACKET_TIP_PGD, .ip_bytes = PT_IP_SUPPRESSED});
}

void soft_put_tsc(struct soft_pt *pt)
{
    if (pt->ctl & RTIT_CTL_TSC_EN)
        soft_put(pt, &(struct packet){.kind = PT_PACKET_TSC, .tsc = pt->tsc & 0x00ffffffffffffffull});
}

/* NR is set: the guest is in VMX non-root operation. */
void soft_put_pip(struct soft_pt *pt)
{
    if (pt->context_en && (pt->ctl & RTIT_CTL_OS))
        soft_put(pt, &(struct packet){.kind = PT_PACKET_PIP, .cr3 = pt->at.cr3 & CR3_ADDRESS, .non_root = true});
}

void soft_put_mode(struct soft_pt *pt, bool always)
{
    const bool l = pt->at.cs_l, d = !l && pt->at.cs_d;

    if (!always && pt->mode_known && pt->sent_l == l && pt->sent_d == d)
        return;
    pt->mode_known = true;
    pt->sent_l = l;
    pt->sent_d = d;
    soft_put(pt, &(struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = l, .cs_d = d});
}

void soft_tnt_flush(struct soft_pt *pt)
{
    if (pt->nr_tnt)
        soft_put(pt, &(struct packet){.kind = PT_PACKET_TNT_8, .tnt_bits = (uint8_t)pt->nr_tnt, .tnt = pt->tnt});
    pt->nr_tnt = pt->tnt = 0;
}

/* 36.3.7: the state at pt->at, for a decoder that starts here. */
void soft_put_psb(struct soft_pt *pt)
{
    soft_tnt_flush(pt);
    pt->packet_bytes = 0;
    pt->last_ip = 0;
    pt->nr_returns = 0;
    pt->mode_known = false;
    soft_put_plain(pt, PT_PACKET_PSB);
    soft_put_tsc(pt);
    soft_put_pip(pt);
    if (pt->context_en && (pt->ctl & RTIT_CTL_BRANCH_EN))
        soft_put_plain(pt, PT_PACKET_MODE_TSX);
    if (soft_packet_en(pt)) {
        soft_put_mode(pt, true);
        soft_put_ip(pt, PT_PACKET_FUP, pt->at.ip);
    }
    soft_put_plain(pt, PT_PACKET_PSBEND);
}

void soft_psb_if_due(struct soft_pt *pt)
{
    const uint64_t code = pt->ctl >> RTIT_CTL_PSB_FREQ_SHIFT & 0xf;

    if (pt->packet_bytes >= (uint64_t)PSB_BYTES_MIN << code && soft_trigger_en(pt))
        soft_put_psb(pt);
}

void soft_put_tnt(struct soft_pt *pt, bool taken)
{
    pt->tnt = pt->tnt << 1 | taken;
    if (++pt->nr_tnt == SHORT_TNT_BITS) {
        soft_tnt_flush(pt);
        soft_psb_if_due(pt);
    }
}

/* "TraceStop" (36.2.5.3). */
void soft_trace_stop(struct soft_pt *pt)
{
    soft_put_plain(pt, PT_PACKET_TRACESTOP);
    pt->status |= RTIT_STATUS_STOPPED;
}
