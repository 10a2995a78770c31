/* Kind: shell */
/*
 * Which task of a Linux guest runs in an address space: its number and its name, read from Linux's own task_struct and
 * sent as RECORD_TASK. The option tasks= has the offsets of its fields and of the CPU's pointer to it
 * (vmx/task_fields.h); the host tool reads them from the kernel's image.
 *
 * This is done at a page fault at a user address: then the guest is in a task's context, and GS.base is either user
 * mode's, with the kernel's in IA32_KERNEL_GS_BASE, which VM exits do not switch, or the kernel's. Nothing is trusted:
 * what cannot be read, or cannot be a task, is not sent. The guest may write meanwhile; a name that is read halfway
 * through a change is corrected at the next fault.
 *
 * The pointer and each task_struct are translated through the guest's page tables only once: Linux never unmaps them,
 * and a task_struct is physically contiguous. At most faults three quadwords are compared.
 */
#include "vmx/code/task.h"

#include "vmx/code/state.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"

#define MOST_PIDS 0x400000u        /* PID_MAX_LIMIT: pids are lower */
#define PTI_USER_TABLES (1u << 12) /* of CR3: with page-table isolation, clear it for the kernel's tables */

static uint64_t kernel_gs(void)
{
    return guest_in_user_mode() ? msr_read(IA32_KERNEL_GS_BASE) : vmreadn(VMCS_GUEST_GS_BASE);
}

/* Guest-physical address of the kernel's data at linear. GUEST_STRETCH_NOWHERE: it is not mapped. */
__attribute__((cold, noinline)) static uint64_t kernel_data(uint64_t cr3, uint64_t linear)
{
    if (!(linear >> 63))
        return GUEST_STRETCH_NOWHERE;
    const uint64_t gpa = guest_data_translate(cr3, linear);
    if (gpa == GUEST_STRETCH_NOWHERE && (cr3 & PTI_USER_TABLES))
        return guest_data_translate(cr3 & ~(uint64_t)PTI_USER_TABLES, linear);
    return gpa;
}

/* Since Linux 6.15 the offset of the pointer is an address as linked: it moves with the kernel's entry (KASLR). */
__attribute__((cold, noinline)) static bool current_find(struct task_cpu *tasks, uint64_t cr3, uint64_t gs)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t moved = option->entry ? msr_read(IA32_LSTAR) - option->entry : 0;
    const uint64_t gpa = kernel_data(cr3, gs + option->current + moved);
    const volatile uint64_t *current =
        gpa == GUEST_STRETCH_NOWHERE ? NULL : guest_ram_range(gpa, sizeof *tasks->current);

    if (!current)
        return false;
    tasks->gs = gs;
    tasks->current = current;
    return true;
}

__attribute__((cold, noinline)) static bool task_find(struct sent_task *sent, uint64_t cr3, uint64_t task)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t comm = kernel_data(cr3, task + option->comm), start = comm - option->comm;

    if (comm == GUEST_STRETCH_NOWHERE || !guest_ram_range(start + option->pid, sizeof sent->ids) ||
        !guest_ram_range(start + option->vfork, sizeof(uint64_t)))
        return false;
    const char *name = guest_ram_range(comm, RECORD_TASK_COMM);
    if (!name)
        return false;
    *sent = (struct sent_task){.cr3 = cr3, .task = task, .fields = name - option->comm};
    return true;
}

static uint64_t field(const struct sent_task *sent, uint64_t offset)
{
    return *(const volatile uint64_t *)(sent->fields + offset);
}

static bool is_plausible(const struct sent_task *sent)
{
    return sent->record.pid - 1 < MOST_PIDS && sent->record.tgid - 1 < MOST_PIDS && (sent->comm[0] & 0xff) &&
           !(sent->comm[1] >> 56);
}

/* A function of its own, so that sent is kept in a register. */
static __attribute__((noinline)) void task_send(struct cpu *cpu, struct sent_task *sent)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t ids = field(sent, option->pid), first = field(sent, option->comm),
                   last = field(sent, option->comm + 8);

    if (ids == sent->ids && first == sent->comm[0] && last == sent->comm[1])
        return;
    sent->ids = ids;
    sent->comm[0] = first;
    sent->comm[1] = last;
    sent->flags = field(sent, option->vfork) ? RECORD_TASK_BORROWS : 0;
    if (is_plausible(sent))
        pt_record(cpu->pt, RECORD_TASK, &sent->record, sizeof sent->record, NULL, 0);
}

__attribute__((noinline)) void task_check(struct cpu *cpu, uint64_t cr3, uint64_t linear)
{
    struct task_cpu *tasks = &code_of(cpu)->task;

    if (!machine.config.tasks.comm || linear >> 63)
        return;
    const uint64_t gs = kernel_gs();
    if ((gs != tasks->gs || !gs) && !current_find(tasks, cr3, gs))
        return;
    const uint64_t task = *tasks->current;
    if (!(task >> 63))
        return;
    struct sent_task *sent = &tasks->sent[(cr3 / RECORD_PAGE_SIZE * HASH_FACTOR >> 32) % NR_SENT_TASKS];
    if ((sent->cr3 == cr3 && sent->task == task) || task_find(sent, cr3, task))
        task_send(cpu, sent);
}
