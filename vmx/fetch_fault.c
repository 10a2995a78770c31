/*
 * Page faults of instruction fetches: the guest is about to map a page that it will execute.
 *
 * The fault is the guest's and reaches it at once. Its handler changes the page tables, and nothing tells when it has
 * done so: they are looked at behind each following exit, and the preemption timer makes one soon, sooner each time it
 * finds the page mapped, later each time it does not. A page that is not mapped after many looks will not be: the
 * program was stopped for it.
 *
 * Which faults exit is the processor's to choose, by the error code's I/D flag: SDM "Exceptions and Interrupts" of
 * "Other Causes of VM Exits", "Page-Fault Exceptions" of Vol. 3A. Without NX and SMEP the flag does not exist, and
 * nothing exits.
 */
#include "vmx/cpu.h"
#include "vmx/guest_map.h"
#include "vmx/vmcs.h"

#define FAULT_FETCH (1u << 4) /* of the error code */
#define FIRST_LOOK_TSC 2048u
#define LONGEST_LOOK_TSC (1u << 24)
#define SHORTEST_LOOK_TSC 512u
#define MOST_LOOKS 40u

void fetch_faults_setup(void)
{
    if (!machine.config.map_memory)
        return;
    vmwrite32(VMCS_EXCEPTION_BITMAP, 1u << VECTOR_PF);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MASK, FAULT_FETCH);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MATCH, FAULT_FETCH);
}

static void fault_remove(struct cpu *cpu, uint32_t i)
{
    cpu->faults[i] = cpu->faults[--cpu->nr_faults];
}

/* What was mapped there, if anything was, has been missed: say so. */
static void fault_give_up(struct cpu *cpu, uint32_t i)
{
    guest_map_missed(cpu, cpu->faults[i].cr3, cpu->faults[i].linear, cpu->faults[i].offset);
    fault_remove(cpu, i);
}

static void fault_remember(struct cpu *cpu, uint64_t linear)
{
    const uint64_t cr3 = vmreadn(VMCS_GUEST_CR3);

    for (uint32_t i = cpu->nr_faults; i-- > 0;) /* the same page again */
        if (cpu->faults[i].cr3 == cr3 && cpu->faults[i].linear >> 12 == linear >> 12)
            fault_give_up(cpu, i);
    if (cpu->nr_faults == NR_FETCH_FAULTS)
        fault_give_up(cpu, 0);
    cpu->faults[cpu->nr_faults++] = (struct fetch_fault){cr3, linear, pt_offset(cpu->pt), 0};
    if (!cpu->look_tsc)
        cpu->look_tsc = FIRST_LOOK_TSC;
}

enum exit_action fetch_fault_exit(struct cpu *cpu, uint32_t information)
{
    const uint64_t linear = vmreadn(VMCS_EXIT_QUALIFICATION);

    machine_lock(cpu);
    fault_remember(cpu, linear);
    machine_unlock(cpu);
    __asm__ volatile("mov %0, %%cr2" : : "r"(linear));
    guest_inject((struct event){.information = information & EVENT_INJECTED,
                                .error_code = vmread32(VMCS_EXIT_INTERRUPTION_ERROR_CODE)});
    return EXIT_INJECTED;
}

/* How soon was this look, against what the guest needs? Most should find what they look for. */
static void look_time_adapt(struct cpu *cpu, bool found)
{
    if (found)
        cpu->look_tsc -= cpu->look_tsc > SHORTEST_LOOK_TSC ? cpu->look_tsc / 8 : 0;
    else if (cpu->look_tsc < LONGEST_LOOK_TSC)
        cpu->look_tsc *= 2;
}

void fetch_faults_look(struct cpu *cpu, bool by_timer)
{
    const uint32_t before = cpu->nr_faults;

    machine_lock(cpu);
    for (uint32_t i = before; i-- > 0;) {
        struct fetch_fault *fault = &cpu->faults[i];

        if (guest_map_tell(cpu, fault->cr3, fault->linear, fault->offset))
            fault_remove(cpu, i);
        else if (++fault->looks == MOST_LOOKS)
            fault_give_up(cpu, i);
    }
    machine_unlock(cpu);
    if (by_timer)
        look_time_adapt(cpu, cpu->nr_faults < before);
}
