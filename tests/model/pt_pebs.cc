/*
 * Processor event-based sampling, as much of it as shows who pays for a counter that runs where it should not: with
 * pebs=1 an overflow of a counter that IA32_PEBS_ENABLE names writes a record to the DS save area, by the paging
 * structures that are in use then. Of a record only RFLAGS and RIP are written. A record that is written in VMX root
 * operation goes to a linear address of the guest's in the host's space: the emulator's log reports it as an error.
 *
 * Source: SDM Vol. 3B "Processor Event Based Sampling (PEBS)", "DS Save Area and IA-32e Mode Operation",
 * "PEBS Record Format" (the size of format 0011b).
 */
#include "pt_internal.h"

#include "memory/memory-bochs.h"

/* Of the DS buffer management area in IA-32e mode */
static const uint32_t PEBS_INDEX = 0x28, PEBS_ABSOLUTE_MAXIMUM = 0x30, PEBS_THRESHOLD = 0x38, PEBS_COUNTER_RESET = 0x40;
static const uint64_t RECORD_BYTES = 0xc8;

/* Fields are aligned to 8 bytes. false: the address is not mapped. */
static bool ds_read(BX_CPU_C *cpu, uint64_t linear, uint64_t *value)
{
    bx_phy_address pa;
    if (!cpu->dbg_xlate_linear2phy(linear, &pa))
        return false;
    BX_MEM(0)->readPhysicalPage(cpu, pa, 8, value);
    return true;
}

static bool ds_write(BX_CPU_C *cpu, uint64_t linear, uint64_t value)
{
    bx_phy_address pa;
    if (!cpu->dbg_xlate_linear2phy(linear, &pa))
        return false;
    BX_MEM(0)->writePhysicalPage(cpu, pa, 8, &value);
    return true;
}

static bool record_write(BX_CPU_C *cpu, uint32_t counter)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    uint64_t index, maximum, threshold, reset;
    if (!ds_read(cpu, pmu->ds_area + PEBS_INDEX, &index) || !ds_read(cpu, pmu->ds_area + PEBS_ABSOLUTE_MAXIMUM, &maximum) ||
        !ds_read(cpu, pmu->ds_area + PEBS_THRESHOLD, &threshold) ||
        !ds_read(cpu, pmu->ds_area + PEBS_COUNTER_RESET + 8ull * counter, &reset))
        return false;
    pmu->counter[counter] = reset & PTM_COUNTER_BITS;
    if (index + RECORD_BYTES > maximum)
        return true;
    if (!ds_write(cpu, index, cpu->read_eflags()) || !ds_write(cpu, index + 8, ptm_current_ip(cpu)) ||
        !ds_write(cpu, pmu->ds_area + PEBS_INDEX, index + RECORD_BYTES))
        return false;
    if (index + RECORD_BYTES >= threshold) {
        pmu->global_status |= PTM_GLOBAL_DS_BUFFER;
        ptm_pmu_freeze(cpu);
        ptm_lvtpc_deliver(cpu);
    }
    return true;
}

bool ptm_pebs_overflow(BX_CPU_C *cpu, uint32_t counter)
{
    const struct ptm_cpu *p = &cpu->ptm;
    if (!(p->pmu.pebs_enable >> counter & 1))
        return false;
    if (cpu->in_vmx && !cpu->in_vmx_guest)
        cpu->error("ptmodel: a PEBS record of counter %u in VMX root operation, to DS area %llx", counter,
                   (unsigned long long)p->pmu.ds_area);
    if (!record_write(cpu, counter))
        cpu->error("ptmodel: a PEBS record finds no memory at DS area %llx", (unsigned long long)p->pmu.ds_area);
    return true;
}
