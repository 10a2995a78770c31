/*
 * The truth file: what the CPUs really did, in the layout of decode/truth.h.
 */
#include "pt_internal.h"

static FILE *truth_file;
static bool any_entered; /* one of the CPUs has executed a VM entry */
static FILE *list_files[BX_MAX_SMP_THREADS_SUPPORTED], *time_files[BX_MAX_SMP_THREADS_SUPPORTED];

static FILE *open_or_die(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fprintf(stderr, "ptmodel: cannot write %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

bool ptm_truth_on(void)
{
    return truth_file != NULL;
}

/* The branch list of CPU 0 has the given name, those of other CPUs end in ".cpuN"; with times=1, a file next to it,
 * ".times", has the TSC at each of its branches. */
static void lists_open(void)
{
    for (unsigned n = 0; n < BX_SMP_PROCESSORS; n++) {
        char path[BX_PATHNAME_LEN];
        if (n == 0)
            snprintf(path, sizeof(path), "%s", ptm_config.branches_path);
        else
            snprintf(path, sizeof(path), "%s.cpu%u", ptm_config.branches_path, n);
        list_files[n] = open_or_die(path);
        if (ptm_config.times)
            time_files[n] = open_or_die(strncat(path, ".times", sizeof(path) - strlen(path) - 1));
    }
}

void ptm_truth_open(void)
{
    if (ptm_config.truth_path == NULL || truth_file != NULL)
        return;
    truth_file = open_or_die(ptm_config.truth_path);
    struct truth_file_header header = {};
    memcpy(header.magic, TRUTH_MAGIC, sizeof(header.magic));
    header.version = 1;
    header.nr_cpus = BX_SMP_PROCESSORS;
    fwrite(&header, sizeof(header), 1, truth_file);
    if (ptm_config.branches_path != NULL)
        lists_open();
}

void ptm_list_branch(BX_CPU_C *cpu, uint64_t from, uint64_t to)
{
    const struct ptm_cpu *p = &cpu->ptm;
    uint64_t index = p->branches_total + p->branches - 1;
    if (index < ptm_config.first_branch || index > ptm_config.last_branch)
        return;
    if (from < ptm_config.list_from || from > ptm_config.list_upto)
        return;
    struct truth_branch branch = {from, to};
    fwrite(&branch, sizeof(branch), 1, list_files[cpu->bx_cpuid]);
    if (time_files[cpu->bx_cpuid]) {
        uint64_t tsc = ptm_tsc(cpu);
        fwrite(&tsc, sizeof(tsc), 1, time_files[cpu->bx_cpuid]);
    }
}

void ptm_truth_branch(BX_CPU_C *cpu, uint32_t hot, uint64_t from, uint64_t to, bool resolved)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t hot_after = p->hot;
    if (!(hot & PTM_HOT_TRUTH) || (ptm_config.scope == PTM_SCOPE_TRACED && !(hot_after & PTM_HOT_TRUTH)))
        return;
    p->hot = hot;
    ptm_count_branch(cpu, p, from, resolved || ptm_config.scope != PTM_SCOPE_GUEST ? to : TRUTH_TO_UNRESOLVED);
    p->hot = hot_after;
}

void ptm_list_overflow(BX_CPU_C *cpu, uint64_t ip)
{
    struct truth_branch end = {TRUTH_LIST_OVERFLOW, ip};
    if (list_files[cpu->bx_cpuid])
        fwrite(&end, sizeof(end), 1, list_files[cpu->bx_cpuid]);
}

static uint64_t instructions_since_switch(BX_CPU_C *cpu)
{
    if (cpu->get_icount() < cpu->ptm.world_icount)
        return 0; /* a reset has begun, and set the count to 0 */
    return cpu->get_icount() - cpu->ptm.world_icount - cpu->ptm.not_retired;
}

void ptm_truth_interrupted(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool in_the_middle = cpu->get_icount() == p->rep_icount + 1 && cpu->prev_rip == p->rep_rip;
    if (in_the_middle && (p->hot & PTM_HOT_TRUTH))
        p->not_retired++;
}

void ptm_truth_checkpoint(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (truth_file != NULL) {
        struct truth_checkpoint checkpoint = {};
        checkpoint.kind = TRUTH_CHECKPOINT;
        checkpoint.cpu = cpu->bx_cpuid;
        checkpoint.trace_offset = ptm_trace_offset(p);
        checkpoint.branches = p->branches;
        checkpoint.hash = p->hash;
        checkpoint.instructions = p->non_root_instructions + (cpu->in_vmx_guest ? instructions_since_switch(cpu) : 0);
        checkpoint.last_to = p->last_to;
        fwrite(&checkpoint, sizeof(checkpoint), 1, truth_file);
    }
    p->branches_total += p->branches;
    p->branches = 0;
    p->hash = TRUTH_HASH_SEED;
}

/* VMLAUNCH and VMRESUME retire after they have entered: one instruction of the root's. After an exit Bochs counts the
 * instruction that caused it: one less. */
void ptm_truth_world(BX_CPU_C *cpu, bool to_non_root)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t since = instructions_since_switch(cpu);
    if (!to_non_root)
        p->non_root_instructions += since;
    else if (p->entered)
        p->root_instructions += since + 1;
    if (!any_entered)
        ptm_unplug_start();
    any_entered = p->entered = true;
    p->world_icount = cpu->get_icount() + 1;
    p->not_retired = 0;
}

static void write_end(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct truth_end end = {};
    if (p->entered) {
        uint64_t rest = instructions_since_switch(cpu);
        (cpu->in_vmx_guest ? p->non_root_instructions : p->root_instructions) += rest;
    }
    end.kind = TRUTH_END;
    end.cpu = cpu->bx_cpuid;
    end.trace_bytes = ptm_trace_offset(p);
    end.branches = p->branches;
    end.hash = p->hash;
    end.branches_total = p->branches_total + p->branches;
    end.non_root_instructions = p->non_root_instructions;
    end.root_instructions = p->root_instructions;
    end.topa_pmis = p->topa_pmis;
    end.overflows = p->slow.overflows;
    end.psbs = p->psbs;
    memcpy(end.vm_exits, p->vm_exits, sizeof(end.vm_exits));
    fwrite(&end, sizeof(end), 1, truth_file);
}

/* The machine is reset: the truth ends here. */
void ptm_truth_reset(const BX_CPU_C *cpu)
{
    if (!cpu->ptm.entered || truth_file == NULL)
        return;
    ptm_truth_close();
    fputs("ptmodel: the machine was reset, the truth ends there\n", stderr);
}

void ptm_truth_close(void)
{
    if (truth_file == NULL)
        return;
#ifdef PTM_ROOT_COUNTS
    ptm_root_counts_write(ptm_config.truth_path);
#endif
    for (unsigned n = 0; n < BX_SMP_PROCESSORS; n++) {
        if (BX_CPU(n))
            write_end(BX_CPU(n));
        if (list_files[n])
            fclose(list_files[n]);
        if (time_files[n])
            fclose(time_files[n]);
        list_files[n] = time_files[n] = NULL;
    }
    if (fclose(truth_file) != 0)
        fprintf(stderr, "ptmodel: %s is incomplete: %s\n", ptm_config.truth_path, strerror(errno));
    truth_file = NULL;
}
