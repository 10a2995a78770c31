/*
 * PTWRITE, which Bochs does not have: its decoder learns of it by the patch.
 *
 * Source: SDM Vol. 2B, "PTWRITE"; Vol. 3C, "PTWRITE Packet" (36.4.2.21).
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "pt_internal.h"

static bool allowed(BX_CPU_C *cpu, bxInstruction_c *i)
{
    bool prefix_66 = !i->os32L() && cpu->sregs[BX_SEG_REG_CS].cache.u.segment.d_b;
    if (cpu->cpu_mode == BX_MODE_LONG_64)
        prefix_66 = !i->os32L() && !i->os64L();
    return ptm_cap(ptm_config.profile, PTM_CAP_PTWRITE) && !prefix_66;
}

/* A PTW packet depends on TriggerEn, ContextEn, FilterEn and PTWEn, not on BranchEn. What was executed before it comes
 * before it. */
static void ptwrite(BX_CPU_C *cpu, uint64_t value, uint8_t bytes)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->packet_en || !(p->msr.ctl & RTIT_CTL_PTW_EN))
        return;
    struct packet packet = {};
    packet.kind = PT_PACKET_PTW;
    packet.payload = value;
    packet.ptw_bytes = bytes;
    packet.fup_follows = (p->msr.ctl & RTIT_CTL_FUP_ON_PTW) != 0;
    ptm_tnt_flush(cpu);
    ptm_put(cpu, &packet);
    if (packet.fup_follows)
        ptm_put_ip(cpu, PT_PACKET_FUP, cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip));
}

void BX_CPP_AttrRegparmN(1) BX_CPU_C::PTWRITE_Ed(bxInstruction_c *i)
{
    if (!allowed(BX_CPU_THIS, i))
        exception(BX_UD_EXCEPTION, 0);
    ptwrite(BX_CPU_THIS, BX_READ_32BIT_REG(i->src()), 4);
    BX_NEXT_INSTR(i);
}

void BX_CPP_AttrRegparmN(1) BX_CPU_C::PTWRITE_Eq(bxInstruction_c *i)
{
    if (!allowed(BX_CPU_THIS, i))
        exception(BX_UD_EXCEPTION, 0);
    ptwrite(BX_CPU_THIS, BX_READ_64BIT_REG(i->src()), 8);
    BX_NEXT_INSTR(i);
}
