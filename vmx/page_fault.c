/*
 * Page faults upon reads and instruction fetches: the guest is about to map pages, and some of them it may execute. A
 * read counts, because kernels map what lies around it as well, and program text among that is executed then without
 * another fault.
 *
 * The fault is the guest's and reaches it at once. Its handler changes the page tables, and nothing tells when it has
 * done so: they are looked at behind each following exit. Behind a fetch, the preemption timer makes one soon; how soon
 * follows what the guest needs. Where the page is not mapped then, twice as much time passes until the next look for
 * it, while others' are as soon as ever. A page that is not mapped after many looks will not be: the program was
 * stopped for it.
 *
 * Which faults exit is the processor's to choose, by the error code: SDM "Exception Bitmap", "Page-Fault Exceptions" of
 * Vol. 3A. Where neither NX nor SMEP is on, I/D is always 0; a fetch then is what RIP leads to.
 */
#include "vmx/cpu.h"
#include "vmx/guest_map.h"
#include "vmx/vmcs.h"

/* Of the error code */
#define FAULT_PRESENT (1u << 0)
#define FAULT_WRITE (1u << 1)
#define FAULT_FETCH (1u << 4)

#define LONGEST_INSTRUCTION 15u

#define FIRST_LOOK_TSC 2048u
#define LONGEST_FIRST_TSC (1u << 16)
#define SHORTEST_FIRST_TSC 512u
#define LONGEST_WAIT_TSC (1u << 24)
#define MOST_LOOKS 1000u

void page_faults_setup(void)
{
    if (!machine.config.map_memory)
        return;
    vmwrite32(VMCS_EXCEPTION_BITMAP, 1u << VECTOR_PF);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MASK, FAULT_PRESENT | FAULT_WRITE);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MATCH, 0);
}

static void fault_remove(struct cpu *cpu, uint32_t i)
{
    cpu->nr_fetches -= cpu->faults[i].fetch;
    cpu->faults[i] = cpu->faults[--cpu->nr_faults];
}

/* What was mapped there, if anything was, has been missed; it may have been executed, behind a read as well. */
static void fault_give_up(struct cpu *cpu, uint32_t i)
{
    const struct page_fault *fault = &cpu->faults[i];

    guest_map_missed(cpu, fault->cr3, fault->linear, fault->offset);
    fault_remove(cpu, i);
}

/* The same page again is given up: what it was mapped to in between is not known. */
static void fault_remember(struct cpu *cpu, uint64_t linear, bool fetch)
{
    const uint64_t cr3 = vmreadn(VMCS_GUEST_CR3);

    for (uint32_t i = cpu->nr_faults; i-- > 0;)
        if (cpu->faults[i].cr3 == cr3 && cpu->faults[i].linear >> 12 == linear >> 12)
            fault_give_up(cpu, i);
    if (cpu->nr_faults == NR_PAGE_FAULTS)
        fault_give_up(cpu, 0);
    cpu->faults[cpu->nr_faults++] =
        (struct page_fault){cr3, linear, pt_offset(cpu->pt), 0, fetch, cpu->look_tsc, false};
    cpu->nr_fetches += fetch;
}

static bool is_fetch(uint32_t error_code, uint64_t linear)
{
    const uint64_t rip = vmreadn(VMCS_GUEST_RIP);
    const uint64_t at = guest_code64() ? rip : (uint32_t)(vmreadn(VMCS_GUEST_CS_BASE) + rip);

    return (error_code & FAULT_FETCH) || linear - at < LONGEST_INSTRUCTION;
}

enum exit_action page_fault_exit(struct cpu *cpu, uint32_t information)
{
    const uint64_t linear = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint32_t error_code = vmread32(VMCS_EXIT_INTERRUPTION_ERROR_CODE);

    if (!cpu->look_tsc)
        cpu->look_tsc = FIRST_LOOK_TSC;
    machine_lock(cpu);
    fault_remember(cpu, linear, is_fetch(error_code, linear));
    machine_unlock(cpu);
    __asm__ volatile("mov %0, %%cr2" : : "r"(linear));
    guest_inject((struct event){.information = information & EVENT_INJECTED, .error_code = error_code});
    return EXIT_INJECTED;
}

/* Was the timer's first look for a fault soon enough, or too soon? Most should find what they look for. */
static void first_look_adapt(struct cpu *cpu, bool found)
{
    if (found && cpu->look_tsc > SHORTEST_FIRST_TSC)
        cpu->look_tsc -= cpu->look_tsc / 8;
    else if (!found && cpu->look_tsc < LONGEST_FIRST_TSC)
        cpu->look_tsc += cpu->look_tsc / 4;
}

void page_faults_look(struct cpu *cpu, bool by_timer)
{
    machine_lock(cpu);
    for (uint32_t i = cpu->nr_faults; i-- > 0;) {
        struct page_fault *fault = &cpu->faults[i];
        const bool found = guest_map_tell(cpu, fault->cr3, fault->linear, fault->offset);

        if (by_timer && fault->fetch && !fault->timed)
            first_look_adapt(cpu, found);
        if (by_timer && fault->wait_tsc < LONGEST_WAIT_TSC)
            fault->wait_tsc *= 2;
        fault->timed |= by_timer;
        if (found)
            fault_remove(cpu, i);
        else if (++fault->looks == MOST_LOOKS)
            fault_give_up(cpu, i);
    }
    machine_unlock(cpu);
}

uint32_t page_faults_wait(const struct cpu *cpu)
{
    uint32_t least = LONGEST_WAIT_TSC;

    for (uint32_t i = 0; i < cpu->nr_faults; i++)
        if (cpu->faults[i].fetch && cpu->faults[i].wait_tsc < least)
            least = cpu->faults[i].wait_tsc;
    return least;
}
