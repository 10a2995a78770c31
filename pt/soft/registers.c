/* Kind: core */
/* Soft PT: its registers, and its output through ToPA tables. */
#include "pt/rtit.h"
#include "pt/soft/soft_pt.h"

#define STATUS_HALTED (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED)
#define PACKET_BYTE_CNT_SHIFT 32
#define PACKET_BYTE_CNT_MOST 0x1ffffu
#define MAXPHYADDR_ANY 52u

/* ToPA with tables of many entries, four ranges, a CR3 filter, and all PSB frequencies. TSC is the only packet of time:
 * the duration of a step is that of root mode. */
#define SOFT_EBX (CPUID_14_EBX_CR3_FILTER | CPUID_14_EBX_CPSB_CAM | CPUID_14_EBX_IP_FILTER)
#define SOFT_ECX (CPUID_14_ECX_TOPAOUT | CPUID_14_ECX_MENTRY | CPUID_14_ECX_LIP)
#define SOFT_RANGES PT_MAX_RANGES
#define SOFT_PSB_CODES 0xffffu

void soft_pt_cpuid(struct pt_cpuid *cpuid)
{
    if (cpuid->leaf0_eax < 0x15)
        cpuid->leaf0_eax = 0x15;
    cpuid->leaf7_ebx |= CPUID_7_EBX_PT;
    cpuid->leaf14_0[0] = 1;
    cpuid->leaf14_0[1] = SOFT_EBX;
    cpuid->leaf14_0[2] = SOFT_ECX;
    cpuid->leaf14_0[3] = 0;
    cpuid->leaf14_1[0] = SOFT_RANGES;
    cpuid->leaf14_1[1] = SOFT_PSB_CODES << 16;
    cpuid->leaf14_1[2] = cpuid->leaf14_1[3] = 0;
    cpuid->vmx_misc |= VMX_MISC_PT_IN_VMX;
    cpuid->rtit_ctl = 0;
}

/* PacketByteCnt saturates: if it wrapped to 0, a PSB would follow. */
static uint64_t status(const struct soft_pt *pt)
{
    const uint64_t count = pt->packet_bytes < PACKET_BYTE_CNT_MOST ? pt->packet_bytes : PACKET_BYTE_CNT_MOST;

    return pt->status | count << PACKET_BYTE_CNT_SHIFT;
}

static bool is_addr(uint32_t msr)
{
    return msr - IA32_RTIT_ADDR0_A < 2 * PT_MAX_RANGES;
}

uint64_t soft_pt_read(const struct soft_pt *pt, uint32_t msr)
{
    switch (msr) {
    case IA32_RTIT_CTL:
        return pt->ctl;
    case IA32_RTIT_STATUS:
        return status(pt);
    case IA32_RTIT_OUTPUT_BASE:
        return pt->walk.ptrs.table_pa;
    case IA32_RTIT_OUTPUT_MASK_PTRS:
        return topa_ptrs_pack(pt->walk.ptrs);
    case IA32_RTIT_CR3_MATCH:
        return pt->cr3_match;
    default:
        return is_addr(msr) ? pt->addr[msr - IA32_RTIT_ADDR0_A] : 0;
    }
}

void soft_pt_write(struct soft_pt *pt, uint32_t msr, uint64_t value)
{
    switch (msr) {
    case IA32_RTIT_CTL:
        pt->ctl = value;
        break;
    case IA32_RTIT_STATUS:
        pt->status = value & STATUS_HALTED;
        pt->packet_bytes = (uint32_t)(value >> PACKET_BYTE_CNT_SHIFT) & PACKET_BYTE_CNT_MOST;
        break;
    case IA32_RTIT_OUTPUT_BASE:
        pt->walk.ptrs.table_pa = value;
        break;
    case IA32_RTIT_OUTPUT_MASK_PTRS:
        pt->walk.ptrs = topa_ptrs_unpack(pt->walk.ptrs.table_pa, value);
        break;
    case IA32_RTIT_CR3_MATCH:
        pt->cr3_match = value;
        break;
    default:
        if (is_addr(msr))
            pt->addr[msr - IA32_RTIT_ADDR0_A] = value;
        break;
    }
    pt->walk_loaded = false; /* entries may have changed as well */
}

static uint64_t entry_read(void *context, uint64_t pa)
{
    const struct soft_pt *pt = context;

    return ((const volatile uint64_t *)pt->tables.va)[(pa - pt->tables.pa) / sizeof(uint64_t)];
}

static bool walk_ready(struct soft_pt *pt)
{
    if (!pt->walk_loaded && topa_walk_load(&pt->walk, entry_read, pt, MAXPHYADDR_ANY, false) != TOPA_OK)
        pt->status |= RTIT_STATUS_ERROR;
    pt->walk_loaded = true;
    return !(pt->status & STATUS_HALTED);
}

static void region_filled(struct soft_pt *pt, unsigned filled)
{
    pt->pmi |= (filled & TOPA_FILLED_INT) != 0;
    if (filled & TOPA_FILLED_STOP)
        pt->status |= RTIT_STATUS_STOPPED;
    else if (filled)
        pt->walk_loaded = false;
}

void soft_pt_output(struct soft_pt *pt, const uint8_t *bytes, uint32_t nr)
{
    while (nr > 0 && walk_ready(pt)) {
        const uint32_t room = topa_walk_room(&pt->walk), part = nr < room ? nr : room;

        __builtin_memcpy(pt->regions.va + (topa_walk_pa(&pt->walk) - pt->regions.pa), bytes, part);
        region_filled(pt, topa_walk_advance(&pt->walk, part));
        pt->packet_bytes += part;
        bytes += part;
        nr -= part;
    }
}
