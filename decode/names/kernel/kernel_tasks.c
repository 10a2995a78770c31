#include "decode/names/kernel/kernel_tasks.h"

#include <elf.h>
#include <string.h>

#include "decode/names/btf.h"

/* By the symbol table; by kernel->symbols if there is none (kallsyms) or it lacks the name. */
static bool symbol_named(uint64_t *address, const struct kernel_image *kernel, const char *name)
{
    const struct elf_section *table = elf_section_of_type(&kernel->elf, SHT_SYMTAB);
    struct elf_symbol symbol;
    for (size_t i = 1; table && elf_symbol_at(&symbol, &kernel->elf, table, i); i++)
        if (!strcmp(symbol.name, name)) {
            *address = symbol.value;
            return true;
        }
    for (size_t i = 0; i < kernel->symbols.count; i++)
        if (kernel->symbols.entries[i].name && !strcmp(kernel->symbols.entries[i].name, name)) {
            *address = kernel->symbols.entries[i].begin;
            return true;
        }
    return false;
}

/* A per-CPU variable, as it is linked. Up to 6.14 these addresses start at 0, and GS.base is the address of the CPU's
 * own area. Since then they are linked like all others, and GS.base is the distance to the CPU's own area. */
static bool percpu_variable(uint64_t *address, const struct kernel_image *kernel, const struct btf *btf,
                            const char *name)
{
    const struct elf_section *section = elf_section_named(&kernel->elf, ".data..percpu");
    if (!section || !btf_variable(address, btf, ".data..percpu", name))
        return symbol_named(address, kernel, name);
    *address += section->address;
    return true;
}

/* 6.2 to 6.14 have it as a member of pcpu_hot. */
static bool find_current(struct kernel_tasks *tasks, const struct kernel_image *kernel, const struct btf *btf)
{
    uint64_t within;
    if (percpu_variable(&tasks->current, kernel, btf, "current_task"))
        return true;
    if (!btf_member(&within, btf, "pcpu_hot", "current_task") ||
        !percpu_variable(&tasks->current, kernel, btf, "pcpu_hot"))
        return false;
    tasks->current += within;
    return true;
}

static const char *find_fields(struct kernel_tasks *tasks, const struct btf *btf)
{
    uint64_t tgid;
    if (!btf_member(&tasks->pid, btf, "task_struct", "pid") || !btf_member(&tgid, btf, "task_struct", "tgid") ||
        !btf_member(&tasks->comm, btf, "task_struct", "comm") ||
        !btf_member(&tasks->vfork, btf, "task_struct", "vfork_done"))
        return "its types have no task_struct with pid, tgid, comm and vfork_done";
    return tgid == tasks->pid + sizeof(uint32_t) ? NULL : "in its task_struct tgid does not follow pid";
}

const char *kernel_tasks_find(struct kernel_tasks *tasks, const struct kernel_image *kernel)
{
    const struct elf_section *section = elf_section_named(&kernel->elf, ".BTF");
    struct btf btf;
    *tasks = (struct kernel_tasks){0};
    if (kernel->narrow)
        return "it is a 32-bit kernel";
    if (!section || !section->bytes || !btf_open(&btf, section->bytes, section->size))
        return "it has no types (BTF: CONFIG_DEBUG_INFO_BTF)";
    const char *lacks = find_fields(tasks, &btf);
    if (!lacks && !find_current(tasks, kernel, &btf))
        lacks = "neither its types nor its symbols have current_task";
    btf_close(&btf);
    if (!lacks && tasks->current >> 63 && !symbol_named(&tasks->entry, kernel, "entry_SYSCALL_64"))
        lacks = "its symbols have no entry_SYSCALL_64";
    return lacks;
}
