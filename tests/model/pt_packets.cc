/*
 * Packets: what each says of the CPU's state. Their bytes are made by the core encoder, pt/encode.c.
 *
 * Source: SDM "Packet Definitions" (36.4.2), "Packet Generation Frequency" and "PSB+" (36.3.7).
 */
#include "pt_internal.h"

static void put(BX_CPU_C *cpu, const struct pt_packet *packet)
{
    uint8_t bytes[PT_PACKET_MAX_SIZE];
    ptm_output(cpu, bytes, pt_packet_encode(bytes, packet));
}

static struct pt_packet packet_of(enum pt_packet_kind kind)
{
    struct pt_packet packet = {};
    packet.kind = kind;
    return packet;
}

/* 36.4.2.1: a full buffer is written by ptm_tnt; any packet but PAD forces out what there is. */
void ptm_tnt_flush(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->tnt == PTM_TNT_EMPTY)
        return;
    uint8_t byte = (uint8_t)(p->tnt << 1);
    p->tnt = PTM_TNT_EMPTY;
    ptm_output(cpu, &byte, 1);
}

void ptm_put_ip(BX_CPU_C *cpu, enum pt_packet_kind kind, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct pt_packet packet = packet_of(kind);
    uint64_t payload = 0;
    packet.ip_bytes = (uint8_t)pt_ip_compress(&payload, ip, p->last_ip);
    packet.ip = payload;
    p->last_ip = ip;
    put(cpu, &packet);
}

void ptm_put_ip_suppressed(BX_CPU_C *cpu, enum pt_packet_kind kind)
{
    struct pt_packet packet = packet_of(kind);
    packet.ip_bytes = PT_IP_SUPPRESSED;
    put(cpu, &packet);
}

/* 36.4.2.5. NR: the "conceal VMX from PT" controls are 0, the model has none. */
void ptm_put_pip(BX_CPU_C *cpu)
{
    struct pt_packet packet = packet_of(PT_PACKET_PIP);
    packet.cr3 = cpu->cr3 & 0xfffffffffffe0ull;
    packet.non_root = cpu->in_vmx_guest;
    put(cpu, &packet);
}

/* 36.4.2.15 */
void ptm_put_vmcs(BX_CPU_C *cpu)
{
    struct pt_packet packet = packet_of(PT_PACKET_VMCS);
    packet.vmcs = cpu->vmcsptr & 0xffffffffff000ull;
    put(cpu, &packet);
}

/* 36.4.2.10: the ratio is that of the base frequency, CPUID.16H: nothing changes it. */
void ptm_put_cbr(BX_CPU_C *cpu)
{
    struct pt_packet packet = packet_of(PT_PACKET_CBR);
    packet.payload = 35;
    put(cpu, &packet);
}

/* 36.4.2.11; in non-root operation with the offset and scaling of the VMCS (36.5.2.6). */
void ptm_put_tsc(BX_CPU_C *cpu)
{
    struct pt_packet packet = packet_of(PT_PACKET_TSC);
    packet.tsc = cpu->get_Virtual_TSC() & 0xffffffffffffffull;
    put(cpu, &packet);
}

/* 36.4.2.8. CS.D is reserved (0) in 64-bit mode. */
void ptm_put_mode(BX_CPU_C *cpu, bool always)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct pt_packet packet = packet_of(PT_PACKET_MODE_EXEC);
    packet.cs_l = cpu->cpu_mode == BX_MODE_LONG_64;
    packet.cs_d = !packet.cs_l && cpu->sregs[BX_SEG_REG_CS].cache.u.segment.d_b;
    uint8_t mode = (uint8_t)((packet.cs_l ? 1 : 0) | (packet.cs_d ? 2 : 0));
    if (!always && p->mode_known && p->mode_sent == mode)
        return;
    p->mode_known = true;
    p->mode_sent = mode;
    put(cpu, &packet);
}

/* 36.4.2.17 and 36.3.7, "Packet Stream Boundary (PSB)": the state at ip, for a decoder that starts here. */
void ptm_psb(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_tnt_flush(cpu);
    if (!p->trigger_en)
        return;
    ptm_truth_checkpoint(cpu);
    uint64_t start = ptm_trace_offset(p);
    p->psb_wanted = false;
    p->next_psb = start + (2048ull << ((p->msr.ctl & RTIT_CTL_PSB_FREQ) >> RTIT_CTL_PSB_FREQ_SHIFT));
    ptm_output_limit(p);
    p->psbs++;
    p->last_ip = 0;
    p->mode_known = false;
    p->retstack_depth = 0;

    struct pt_packet psb = packet_of(PT_PACKET_PSB);
    put(cpu, &psb);
    if (p->msr.ctl & RTIT_CTL_TSC_EN)
        ptm_put_tsc(cpu);
    ptm_put_cbr(cpu);
    if (p->context_en && (p->msr.ctl & RTIT_CTL_OS))
        ptm_put_pip(cpu);
    if (cpu->in_vmx)
        ptm_put_vmcs(cpu);
    if (p->context_en && (p->msr.ctl & RTIT_CTL_BRANCH_EN)) {
        struct pt_packet tsx = packet_of(PT_PACKET_MODE_TSX); /* never inside a transaction: there are none */
        put(cpu, &tsx);
    }
    if (p->packet_en && (p->msr.ctl & RTIT_CTL_BRANCH_EN)) {
        ptm_put_mode(cpu, true);
        ptm_put_ip(cpu, PT_PACKET_FUP, ip);
    }
    struct pt_packet psbend = packet_of(PT_PACKET_PSBEND);
    put(cpu, &psbend);
}

void ptm_psb_if_due(BX_CPU_C *cpu, uint64_t ip)
{
    if (cpu->ptm.psb_wanted && cpu->ptm.trigger_en)
        ptm_psb(cpu, ip);
}
