/* Kind: shell */
/*
 * The EPT maps no page of such registers. The instruction that accesses one is stepped (vmx/ept/step.h) with a page of
 * this CPU in its place. There it finds what the guest may read, and what it writes there is carried out afterwards.
 * Only the quadword that it accesses is current: drivers access registers of 32 and 64 bits (VT-d specification 11.2),
 * and reading one may take long. If an instruction writes more than a quadword, only the last one that exits is carried
 * out.
 *
 * VISIBLE: a 64-bit write whose upper half changes nothing writes the lower half only. VISIBLE: by time.
 */
#include "vmx/exit/filter.h"

#include <string.h>

#include "base/phys.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/mtrr.h"
#include "vmx/ept/step.h"
#include "vmx/guest/memory.h"

/* The write that is being stepped. Only its own CPU touches it. */
struct filter_cpu {
    uint64_t page;
    uint64_t rip;       /* of the instruction */
    uint32_t offset;    /* of the doubleword, in the page and in struct cpu's filter_stage */
    uint32_t nr;        /* doublewords up to the end of the quadword: 1 or 2 */
    uint32_t before[2]; /* what they contained */
};
CPU_STATE(filter)

bool filter_has(uint64_t gpa)
{
    const struct vmx_filter *filter = &machine.config.filter;

    for (unsigned i = 0; i < filter->nr_pages; i++)
        if (filter->pages[i] == (gpa & EPT_PAGE_MASK))
            return true;
    return false;
}

static volatile uint32_t *staged(struct cpu *cpu, uint32_t offset)
{
    return (volatile uint32_t *)(cpu->filter_stage + offset);
}

/* The step is over. Nothing was written if an event was delivered instead of the instruction, or another exit came
 * first: then the access exits again. A REP instruction that was stepped stays at its address. The upper half comes
 * last, as VT-d's registers require. */
static void write_through(struct cpu *cpu, bool interrupted)
{
    const struct filter_cpu *state = filter_of(cpu);
    const uint64_t moved = vmreadn(VMCS_GUEST_RIP) - state->rip;

    if (moved > INSTRUCTION_MAX_BYTES || (interrupted && moved == 0))
        return;
    for (uint32_t i = 0; i < state->nr; i++) {
        const uint32_t offset = state->offset + 4 * i, value = *staged(cpu, offset);
        if (i == 0 || value != state->before[i])
            machine.config.filter.write(state->page, offset, value);
    }
}

/* VISIBLE: the registers are not code; hardware leaves open what a fetch yields. FFH FFH is #UD. */
static void fetched(struct cpu *cpu, uint64_t page)
{
    memset(cpu->hidden_stage, 0xff, sizeof cpu->hidden_stage);
    step_open_page(cpu, page,
                   ept_leaf_entry(virt_to_phys(cpu->hidden_stage), 1, MEMORY_TYPE_WB, EPT_READ | EPT_EXECUTE));
    step_begin(cpu, NULL);
}

void filter_accessed(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const bool write = qualification & EPT_VIOLATION_WRITE;
    struct filter_cpu access = {.page = gpa & EPT_PAGE_MASK, .offset = gpa & 0xffc, .nr = gpa & 4 ? 1 : 2};

    if (qualification & EPT_VIOLATION_FETCH) {
        fetched(cpu, access.page);
        return;
    }
    for (uint32_t i = 0; i < access.nr; i++) {
        const uint32_t offset = access.offset + 4 * i;
        *staged(cpu, offset) = access.before[i] = machine.config.filter.read(access.page, offset);
    }
    access.rip = vmreadn(VMCS_GUEST_RIP);
    if (write)
        *filter_of(cpu) = access;
    step_open_page(
        cpu, access.page,
        ept_leaf_entry(virt_to_phys(cpu->filter_stage), 1, MEMORY_TYPE_WB, write ? EPT_READ | EPT_WRITE : EPT_READ));
    step_begin(cpu, write ? write_through : NULL);
}
