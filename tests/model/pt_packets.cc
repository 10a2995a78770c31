/*
 * Packets: what each states about the CPU. Their bytes are made by the core encoder, pt/packet/encode.c.
 *
 * Source: SDM "Packet Definitions" (36.4.2), "Packet Generation Frequency" and "PSB+" (36.3.7).
 */
#include "pt_internal.h"

void ptm_put(BX_CPU_C *cpu, const struct packet *packet)
{
    if (cpu->ptm.slow.watch && !ptm_packet_before(cpu, packet->kind))
        return;
    uint8_t bytes[PT_PACKET_MAX_SIZE];
    ptm_output(cpu, bytes, packet_encode(bytes, packet));
}

static struct packet packet_of(enum packet_kind kind)
{
    struct packet packet = {};
    packet.kind = kind;
    return packet;
}

/* CPUID.14H:ECX[31]: payloads are linear addresses, or offsets in the code segment. 64-bit mode has no base. */
uint64_t ptm_ip_base(BX_CPU_C *cpu)
{
    if (cpu->cpu_mode == BX_MODE_LONG_64 || (ptm_leaf14_ecx(ptm_config.profile, cpu->bx_cpuid) & PTM_OUT_LIP))
        return 0;
    return cpu->sregs[BX_SEG_REG_CS].cache.u.segment.base;
}

uint64_t ptm_ip_payload(uint64_t ip, uint64_t base)
{
    return base == 0 ? ip : (ip - base) & 0xffffffff;
}

void ptm_put_ip(BX_CPU_C *cpu, enum packet_kind kind, uint64_t ip)
{
    ptm_put_payload(cpu, kind, ptm_ip_payload(ip, ptm_ip_base(cpu)));
}

void ptm_put_payload(BX_CPU_C *cpu, enum packet_kind kind, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct packet packet = packet_of(kind);
    uint64_t payload = 0;
    if (p->slow.overflow)
        return;
    if (p->slow.ip_uncompressed)
        p->last_ip = ~ip;
    p->slow.ip_uncompressed = false;
    packet.ip_bytes = (uint8_t)pt_ip_compress(&payload, ip, p->last_ip);
    packet.ip = payload;
    if (ptm_config.update_48 && packet.ip_bytes == PT_IP_SEXT_48 && (ip ^ p->last_ip) >> 48 == 0)
        packet.ip_bytes = PT_IP_UPDATE_48;
    if (ptm_config.profile->ip8 && packet.ip_bytes == PT_IP_SEXT_48) {
        packet.ip_bytes = PT_IP_FULL_64;
        packet.ip = ip;
    }
    p->last_ip = ip;
    ptm_put(cpu, &packet);
}

void ptm_put_ip_suppressed(BX_CPU_C *cpu, enum packet_kind kind)
{
    struct packet packet = packet_of(kind);
    packet.ip_bytes = PT_IP_SUPPRESSED;
    ptm_put(cpu, &packet);
}

void ptm_put_plain(BX_CPU_C *cpu, enum packet_kind kind)
{
    struct packet packet = packet_of(kind);
    ptm_put(cpu, &packet);
}

/* 36.4.2.7. A VM entry's has NR set whatever "conceal VMX non-root operation from Intel PT" says. */
void ptm_put_pip(BX_CPU_C *cpu, bool vm_entry)
{
    struct packet packet = packet_of(PT_PACKET_PIP);
    packet.cr3 = ptm_cr3_address(cpu, cpu->cr3) & 0xfffffffffffffull;
    packet.non_root = cpu->in_vmx_guest && (vm_entry || !ptm_vmx_concealed(cpu));
    ptm_put(cpu, &packet);
}

/* 36.4.2.15 */
void ptm_put_vmcs(BX_CPU_C *cpu)
{
    struct packet packet = packet_of(PT_PACKET_VMCS);
    packet.vmcs = cpu->vmcsptr & 0xffffffffff000ull;
    ptm_put(cpu, &packet);
}

/* 36.4.2.8, the two bits of MODE.Exec: CS.L in bit 0, CS.D, reserved (0) in 64-bit mode, in bit 1. */
uint8_t ptm_mode(BX_CPU_C *cpu)
{
    bool cs_l = cpu->cpu_mode == BX_MODE_LONG_64;
    bool cs_d = !cs_l && cpu->sregs[BX_SEG_REG_CS].cache.u.segment.d_b;
    return (uint8_t)((cs_l ? 1 : 0) | (cs_d ? 2 : 0));
}

void ptm_put_mode(BX_CPU_C *cpu, bool always)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct packet packet = packet_of(PT_PACKET_MODE_EXEC);
    uint8_t mode = ptm_mode(cpu);
    packet.cs_l = (mode & 1) != 0;
    packet.cs_d = (mode & 2) != 0;
    if (p->slow.overflow || (!always && p->mode_known && p->mode_sent == mode))
        return;
    p->mode_known = true;
    p->mode_sent = mode;
    ptm_put(cpu, &packet);
}

/* 36.4.2.17 and 36.3.7, "Packet Stream Boundary (PSB)": the state at ip, for a decoder that starts here. */
void ptm_psb(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_tnt_flush(cpu);
    p->psb_wanted = true;
    if (!p->trigger_en || (p->slow.watch && !ptm_packet_before(cpu, PT_PACKET_PSB)))
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

    struct packet psb = packet_of(PT_PACKET_PSB);
    ptm_put(cpu, &psb);
    ptm_put_tsc(cpu);
    ptm_put_cbr(cpu);
    if (p->context_en && (p->msr.ctl & RTIT_CTL_OS))
        ptm_put_pip(cpu, false);
    if (cpu->in_vmx && !ptm_vmx_concealed(cpu))
        ptm_put_vmcs(cpu);
    if (p->context_en && (p->msr.ctl & RTIT_CTL_BRANCH_EN)) {
        struct packet tsx = packet_of(PT_PACKET_MODE_TSX); /* never inside a transaction: there are none */
        ptm_put(cpu, &tsx);
    }
    bool with_ip = p->packet_en || (ptm_config.errata & PTM_BDM70);
    if (with_ip && (p->msr.ctl & RTIT_CTL_BRANCH_EN)) {
        ptm_put_mode(cpu, true);
        ptm_put_ip(cpu, PT_PACKET_FUP, ip);
        p->slow.ip_uncompressed |= !p->packet_en;
    }
    struct packet psbend = packet_of(PT_PACKET_PSBEND);
    ptm_put(cpu, &psbend);
}

void ptm_psb_if_due(BX_CPU_C *cpu, uint64_t ip)
{
    if (cpu->ptm.slow.overflow)
        ptm_overflow_branch(cpu, ip);
    if (cpu->ptm.psb_wanted && cpu->ptm.trigger_en && !cpu->ptm.slow.overflow)
        ptm_psb(cpu, ip);
}
