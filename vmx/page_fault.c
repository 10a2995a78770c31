/* Kind: shell, hot */
/*
 * Page faults upon reads and instruction fetches: the guest is about to map pages, and some of them it may execute. A
 * read counts, because kernels map what lies around it as well, and program text among that is executed then without
 * another fault.
 *
 * The fault is the guest's and reaches it at once. Its handler changes the page tables, and nothing tells when it has
 * done so: they are looked at behind an exit some time later, and if the page is not there, half that time later again.
 * Behind a fetch the preemption timer makes that exit. The first time follows what the guest's handler has lately
 * taken. A page that is not there after many looks will not be: the program was stopped for it.
 *
 * Which faults exit is the processor's to choose, by the error code: SDM "Exception Bitmap", "Page-Fault Exceptions" of
 * Vol. 3A. Where neither NX nor SMEP is on, I/D is always 0; a fetch then is what RIP leads to.
 */
#include "vmx/cpu.h"
#include "vmx/guest_map.h"
#include "vmx/guest_memory.h"
#include "vmx/guest_walk.h"
#include "vmx/sleepers.h"
#include "vmx/space_life.h"
#include "vmx/space_look.h"
#include "vmx/vmcs.h"

/* Of the error code */
#define FAULT_PRESENT (1u << 0)
#define FAULT_WRITE (1u << 1)
#define FAULT_FETCH (1u << 4)

#define LONGEST_INSTRUCTION 15u

/* The time to the first look, in TSC ticks: at the start, and its bounds. */
#define FIRST_LOOK_TSC 2048u
#define SHORTEST_LOOK_TSC 512u
#define LONGEST_LOOK_TSC 16384u
#define LOOKS_AWAKE 8u /* then its program waits: its page table is watched, where that can be */
#define MOST_LOOKS 40u /* the last one is minutes later */
#define SLACK_TSC 64u  /* the preemption timer counts more coarsely than the TSC */

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
__attribute__((cold, noinline)) static void fault_give_up(struct cpu *cpu, uint32_t i)
{
    const struct page_fault *fault = &cpu->faults[i];

    if (!fault->found)
        guest_map_missed(cpu, fault);
    fault_remove(cpu, i);
}

/* Room for another one: the fault that most looks have not served. */
__attribute__((cold, noinline)) static void faults_make_room(struct cpu *cpu)
{
    uint32_t worst = 0;

    for (uint32_t i = 1; i < cpu->nr_faults; i++) {
        const struct page_fault *fault = &cpu->faults[i], *most = &cpu->faults[worst];

        if (fault->looks > most->looks || (fault->looks == most->looks && fault->tsc < most->tsc))
            worst = i;
    }
    const struct page_fault *fault = &cpu->faults[worst];
    if (!guest_map_tell(cpu, fault, fault->absent) && !fault->found)
        sleepers_add(cpu, fault, sleepers_watch(cpu, fault));
    fault_remove(cpu, worst);
}

static bool same_stretch(const struct page_fault *fault, uint64_t cr3, uint64_t linear)
{
    return fault->cr3 == cr3 && guest_stretch_of(fault->linear) == guest_stretch_of(linear);
}

/* What is told of a stretch holds from the first of those of its faults on that wait for their page. */
static uint64_t first_absent(const struct cpu *cpu, const struct page_fault *fault)
{
    uint64_t offset = fault->absent;

    for (uint32_t i = 0; i < cpu->nr_faults; i++) {
        const struct page_fault *other = &cpu->faults[i];

        if (!other->found && same_stretch(other, fault->cr3, fault->linear) && other->absent < offset)
            offset = other->absent;
    }
    return offset;
}

/* The space runs again, or another program in its tables: what is there by now may have been executed since its fault,
 * what is not will be mapped for this one. */
static void faults_of_space_look(struct cpu *cpu, uint64_t cr3)
{
    for (uint32_t i = cpu->nr_faults; i-- > 0;) {
        struct page_fault *fault = &cpu->faults[i];

        if (fault->cr3 != cr3)
            continue;
        if (guest_map_tell(cpu, fault, first_absent(cpu, fault)) || fault->found)
            fault_remove(cpu, i);
        else
            fault->absent = pt_offset(cpu->pt);
    }
}

/* The program that faulted on another CPU may run here now, or another one in its tables. From when on its page was
 * there, nobody here can tell; and what that CPU will find is not what its own program ran. */
static void others_fault_look(struct cpu *cpu, struct page_fault *fault, uint64_t cr3)
{
    if (fault->cr3 != cr3 || !fault->tsc)
        return;
    guest_map_tell(cpu, fault, pt_offset(cpu->pt));
    fault->absent = ABSENT_UNKNOWN;
}

__attribute__((cold, noinline)) static void others_faults_look(struct cpu *cpu, uint64_t cr3)
{
    for (uint32_t n = 0; n < machine.config.nr_cpus; n++) {
        struct cpu *other = machine.cpus[n];

        if (!other || other == cpu)
            continue;
        for (uint32_t i = 0; i < other->nr_faults; i++)
            others_fault_look(cpu, &other->faults[i], cr3);
        for (uint32_t i = 0; other->nr_sleepers && i < NR_SLEEPERS; i++)
            others_fault_look(cpu, &other->sleepers[i], cr3);
    }
}

static void fault_add(struct cpu *cpu, uint64_t cr3, uint64_t linear, bool fetch)
{
    const uint64_t offset = pt_offset(cpu->pt);

    if (!cpu->first_look_tsc)
        cpu->first_look_tsc = FIRST_LOOK_TSC;
    cpu->faults[cpu->nr_faults++] = (struct page_fault){.cr3 = cr3,
                                                        .linear = linear,
                                                        .offset = offset,
                                                        .absent = offset,
                                                        .tsc = tsc_read(),
                                                        .wait_tsc = cpu->first_look_tsc,
                                                        .fetch = fetch};
    cpu->nr_fetches += fetch;
    cpu->timer_steady = false;
    cpu->look_due_tsc = 0;
}

void page_fault_wake(struct cpu *cpu, struct page_fault *sleeper)
{
    const uint64_t cr3 = sleeper->cr3, linear = sleeper->linear;

    sleeper->tsc = 0; /* its place is free, for the one that goes */
    if (cpu->nr_faults == NR_PAGE_FAULTS)
        faults_make_room(cpu);
    fault_add(cpu, cr3, linear, true);
}

/* The same page again is given up: what it was mapped to in between is not known. A second look at the same stretch
 * would take what is mapped for the new fault for the old one's. */
static void fault_remember(struct cpu *cpu, uint64_t linear, bool fetch)
{
    const uint64_t cr3 = guest_space_cr3();

    faults_of_space_look(cpu, cr3);
    sleepers_look(cpu, cr3, linear);
    if (machine_has_others()) {
        others_faults_look(cpu, cr3);
        guest_map_fault_begins(cpu, cr3, linear);
    }
    for (uint32_t i = cpu->nr_faults; i-- > 0;)
        if ((cpu->faults[i].found && same_stretch(&cpu->faults[i], cr3, linear)) ||
            page_fault_is_at(&cpu->faults[i], cr3, linear))
            fault_give_up(cpu, i); /* says nothing where it was found */
    if (cpu->nr_faults == NR_PAGE_FAULTS)
        faults_make_room(cpu);
    fault_add(cpu, cr3, linear, fetch);
    space_faulted(cpu, cr3);
    guest_task_look(cpu, cr3, linear);
}

static bool is_fetch(uint32_t error_code, uint64_t linear)
{
    const uint64_t rip = vmreadn(VMCS_GUEST_RIP);
    const uint64_t at = guest_code64() ? rip : (uint32_t)(vmreadn(VMCS_GUEST_CS_BASE) + rip);

    return (error_code & FAULT_FETCH) || linear - at < LONGEST_INSTRUCTION;
}

/* Not compiled into what every exit passes: that would cost each of them. */
__attribute__((noinline)) enum exit_action page_fault_exit(struct cpu *cpu, uint32_t information)
{
    const uint64_t linear = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint32_t error_code = vmread32(VMCS_EXIT_INTERRUPTION_ERROR_CODE);

    if (cpu->open_space)
        space_life_close(cpu);
    machine_lock(cpu);
    fault_remember(cpu, linear, is_fetch(error_code, linear));
    machine_unlock(cpu);
    __asm__ volatile("mov %0, %%cr2" : : "r"(linear));
    guest_inject((struct event){.information = information & EVENT_INJECTED, .error_code = error_code});
    return EXIT_INJECTED;
}

/* A look costs an exit, unless the program's next fault comes first and does it. So the first one waits until about one
 * handler in five has returned: hardly any has not mapped its page by then, and no program is gone again. Handlers that
 * wait, for a disk maybe, say nothing of how long others are at work. */
static void first_look_adapt(struct cpu *cpu, uint32_t looks)
{
    uint32_t tsc = cpu->first_look_tsc;

    if (looks != 0)
        tsc += tsc / 4;
    else if (guest_in_user_mode())
        tsc -= tsc / 8;
    else
        tsc += tsc / 32;
    cpu->first_look_tsc = tsc < SHORTEST_LOOK_TSC ? SHORTEST_LOOK_TSC : tsc < LONGEST_LOOK_TSC ? tsc : LONGEST_LOOK_TSC;
}

static void fault_look(struct cpu *cpu, uint32_t i, uint64_t now)
{
    struct page_fault *fault = &cpu->faults[i];
    uint64_t table;

    if (now - fault->tsc + SLACK_TSC < fault->wait_tsc)
        return;
    const enum guest_map_found found = guest_map_tell(cpu, fault, first_absent(cpu, fault));
    if (fault->fetch && found && fault->looks <= 1)
        first_look_adapt(cpu, fault->looks);
    if (found == GUEST_MAP_NOTHING || (found && (fault->found || guest_in_user_mode()))) {
        fault_remove(cpu, i);
    } else if (found) { /* its handler may be at work still, and map what lies around: another exit will show it */
        fault->found = true;
        fault->wait_tsc = now - fault->tsc + cpu->first_look_tsc;
        cpu->nr_fetches -= fault->fetch;
        fault->fetch = false;
    } else if (++fault->looks == MOST_LOOKS) {
        fault_give_up(cpu, i);
    } else if (fault->looks >= LOOKS_AWAKE && (table = sleepers_watch(cpu, fault)) != 0) {
        sleepers_add(cpu, fault, table);
        fault_remove(cpu, i);
    } else {
        fault->wait_tsc += fault->wait_tsc / 2;
        fault->absent = pt_offset(cpu->pt);
    }
}

/* When the next look is due, of any fault, or of fetches alone; UINT64_MAX: never. */
static uint64_t due_tsc(const struct cpu *cpu, bool fetches)
{
    uint64_t due = UINT64_MAX;

    for (uint32_t i = 0; i < cpu->nr_faults; i++) {
        const struct page_fault *fault = &cpu->faults[i];

        if ((fault->fetch || !fetches) && fault->tsc + fault->wait_tsc < due)
            due = fault->tsc + fault->wait_tsc;
    }
    return due;
}

__attribute__((noinline)) void page_faults_look(struct cpu *cpu)
{
    const uint64_t now = tsc_read();

    if (now + SLACK_TSC < cpu->look_due_tsc)
        return;
    machine_lock(cpu);
    for (uint32_t i = cpu->nr_faults; i-- > 0;)
        fault_look(cpu, i, now);
    machine_unlock(cpu);
    cpu->look_due_tsc = due_tsc(cpu, false);
}

uint64_t page_faults_wait(const struct cpu *cpu)
{
    const uint64_t due = due_tsc(cpu, true), now = tsc_read();

    return due < now ? 0 : due - now;
}
