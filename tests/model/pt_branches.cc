/*
 * Near branches, where the inline part in pt_model.h cannot finish the work.
 *
 * Source: SDM Table "Packet Generation under Different Enable Conditions", rows 6 to 9.
 */
#include "pt_internal.h"

void ptm_tnt_full(BX_CPU_C *cpu, uint64_t ip)
{
    ptm_tnt_flush(cpu);
    ptm_psb_if_due(cpu, ip);
}

/* Row 9d. */
void ptm_indirect(BX_CPU_C *cpu, uint64_t ip)
{
    if (!(cpu->ptm.hot & PTM_HOT_SLOW) || !ptm_tip_defer(cpu, ip))
        ptm_uncompressed_return(cpu, ip);
}

/* 36.4.2.2: its TIP follows at once, so that a decoder that sees no TNT knows that it is not compressed. */
void ptm_uncompressed_return(BX_CPU_C *cpu, uint64_t ip)
{
    ptm_tnt_flush(cpu);
    ptm_put_ip(cpu, PT_PACKET_TIP, ip);
    ptm_psb_if_due(cpu, ip);
}
