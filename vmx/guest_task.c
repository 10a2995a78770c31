/* Kind: shell */
/*
 * Which task of the guest's runs in an address space: its number and its name, from Linux's own task_struct, told as
 * RECORD_TASK. Where its fields are, and where the CPU's pointer to it is, the option tasks= says (vmx/task_fields.h);
 * the host tool reads that from the kernel's image.
 *
 * A page fault upon a user address is the moment: the guest is in a task's context then, and GS is either the user's,
 * with the kernel's in IA32_KERNEL_GS_BASE, which is never switched, or the kernel's. Nothing is believed: what cannot
 * be read or cannot be a task is not told. The guest may write meanwhile; a name that is read in halves is corrected at
 * the next fault.
 *
 * The pointer and each task are looked up in the guest's page tables once: Linux maps them for good, and a task_struct
 * is one piece of physical memory. Most faults compare three quadwords.
 */
#include "vmx/guest_task.h"

#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/guest_memory.h"
#include "vmx/vmcs.h"

#define MOST_PIDS 0x400000u        /* PID_MAX_LIMIT: pids are lower */
#define PTI_USER_TABLES (1u << 12) /* of CR3: with page-table isolation the kernel's tables are where it is clear */

static uint64_t kernel_gs(void)
{
    return guest_in_user_mode() ? msr_read(IA32_KERNEL_GS_BASE) : vmreadn(VMCS_GUEST_GS_BASE);
}

/* Guest-physical address of data of the kernel's. GUEST_STRETCH_NOWHERE: it is not there. */
__attribute__((cold, noinline)) static uint64_t kernel_data(uint64_t cr3, uint64_t linear)
{
    if (!(linear >> 63))
        return GUEST_STRETCH_NOWHERE;
    const uint64_t gpa = guest_data_translate(cr3, linear);
    if (gpa == GUEST_STRETCH_NOWHERE && (cr3 & PTI_USER_TABLES))
        return guest_data_translate(cr3 & ~(uint64_t)PTI_USER_TABLES, linear);
    return gpa;
}

static bool is_memory(uint64_t gpa, uint32_t size)
{
    return ept_is_memory(gpa) && ept_is_memory(gpa + size - 1);
}

/* Where a kernel is linked as its CPUs' variables are addressed (since 6.15), it was moved as far as its entry was. */
__attribute__((cold, noinline)) static bool current_find(struct guest_tasks *tasks, uint64_t cr3, uint64_t gs)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t moved = option->entry ? msr_read(IA32_LSTAR) - option->entry : 0;
    const uint64_t gpa = kernel_data(cr3, gs + option->current + moved);

    if (gpa == GUEST_STRETCH_NOWHERE || !is_memory(gpa, sizeof *tasks->current))
        return false;
    tasks->gs = gs;
    tasks->current = phys_to_virt(gpa);
    return true;
}

__attribute__((cold, noinline)) static bool task_find(struct task_told *told, uint64_t cr3, uint64_t task)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t comm = kernel_data(cr3, task + option->comm), start = comm - option->comm;

    if (comm == GUEST_STRETCH_NOWHERE || !is_memory(comm, RECORD_TASK_COMM) ||
        !is_memory(start + option->pid, sizeof told->ids) || !is_memory(start + option->vfork, sizeof(uint64_t)))
        return false;
    *told = (struct task_told){.cr3 = cr3, .task = task, .fields = phys_to_virt(start)};
    return true;
}

static uint64_t field(const struct task_told *told, uint64_t offset)
{
    return *(const volatile uint64_t *)(told->fields + offset);
}

static bool can_be(const struct task_told *told)
{
    return told->record.pid - 1 < MOST_PIDS && told->record.tgid - 1 < MOST_PIDS && (told->comm[0] & 0xff) &&
           !(told->comm[1] >> 56);
}

/* A function of its own: told is kept in a register. */
static __attribute__((noinline)) void task_tell(struct cpu *cpu, struct task_told *told)
{
    const struct task_fields *option = &machine.config.tasks;
    const uint64_t ids = field(told, option->pid), first = field(told, option->comm),
                   last = field(told, option->comm + 8);

    if (ids == told->ids && first == told->comm[0] && last == told->comm[1])
        return;
    told->ids = ids;
    told->comm[0] = first;
    told->comm[1] = last;
    told->flags = field(told, option->vfork) ? RECORD_TASK_BORROWS : 0;
    if (can_be(told))
        pt_record(cpu->pt, RECORD_TASK, &told->record, sizeof told->record, NULL, 0);
}

__attribute__((noinline)) void guest_task_look(struct cpu *cpu, uint64_t cr3, uint64_t linear)
{
    struct guest_tasks *tasks = &cpu->tasks;

    if (!machine.config.tasks.comm || linear >> 63)
        return;
    const uint64_t gs = kernel_gs();
    if ((gs != tasks->gs || !gs) && !current_find(tasks, cr3, gs))
        return;
    const uint64_t task = *tasks->current;
    if (!(task >> 63))
        return;
    struct task_told *told = &tasks->told[(cr3 / RECORD_PAGE_SIZE * HASH_FACTOR >> 32) % NR_TASKS_TOLD];
    if ((told->cr3 == cr3 && told->task == task) || task_find(told, cr3, task))
        task_tell(cpu, told);
}
