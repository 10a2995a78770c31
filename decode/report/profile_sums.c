/* Sums over a call tree, for reports. */
#include <stdlib.h>

#include "decode/report/profile_report.h"

size_t profile_phases(struct profile_phase *phases, const struct profile *profile)
{
    static const struct {
        enum profile_mark mark;
        const char *name;
    } marks[] = {{PROFILE_KERNEL, "the kernel's first code"},
                 {PROFILE_START, "the kernel's start, one task"},
                 {PROFILE_INIT, "drivers and other initcalls"},
                 {PROFILE_USER, "user space"},
                 {PROFILE_END, "shutdown"}};
    size_t count = 0;
    uint64_t branches = 0;
    phases[count++] = (struct profile_phase){"before the kernel", profile->first_tsc, profile->last_tsc, 0};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const struct profile_marked *mark = &profile->marks[marks[i].mark];
        struct profile_phase *before = &phases[count - 1];
        if (!mark->known || mark->branches < branches)
            continue;
        before->to_tsc = mark->tsc > before->from_tsc ? mark->tsc : before->from_tsc;
        before->branches = mark->branches - branches;
        branches = mark->branches;
        phases[count++] = (struct profile_phase){marks[i].name, before->to_tsc, profile->last_tsc, 0};
    }
    phases[count - 1].branches = profile->branches - branches;
    return count;
}

/* Of each node, with all below it. */
static struct profile_sum *add_up(const struct profile *profile)
{
    struct profile_sum *sums = calloc(profile->nr_nodes, sizeof(*sums));
    for (size_t i = profile->nr_nodes; sums && i-- > 1;) {
        const struct profile_node *node = &profile->nodes[i];
        sums[i].branches += node->branches;
        sums[i].ticks += node->ticks;
        sums[node->parent].branches += sums[i].branches;
        sums[node->parent].ticks += sums[i].ticks;
    }
    return sums;
}

static int compare_sums(const void *left, const void *right)
{
    const struct profile_sum *a = left, *b = right;
    if (a->branches != b->branches)
        return a->branches < b->branches ? 1 : -1;
    return a->process < b->process ? -1 : a->process > b->process;
}

struct profile_sum *profile_sums(const struct profile *profile, size_t *count)
{
    struct profile_sum *nodes = add_up(profile), *sums = calloc(profile->nr_processes, sizeof(*sums));
    *count = 0;
    for (size_t i = 1; i < profile->nr_processes && nodes && sums; i++) {
        sums[*count] = nodes[profile->processes[i].root];
        sums[(*count)++].process = i;
    }
    free(nodes);
    if (sums)
        qsort(sums, *count, sizeof(*sums), compare_sums);
    return sums;
}

int profile_by_total(const void *left, const void *right)
{
    const struct profile_function *a = left, *b = right;
    if (a->total_branches != b->total_branches)
        return a->total_branches < b->total_branches ? 1 : -1;
    return a->name->begin < b->name->begin ? -1 : a->name->begin > b->name->begin;
}

/* One within another is counted as its own, and in the outer one's total. */
struct profile_function *profile_entries(const struct profile *profile, enum stack_entry entry, size_t *count)
{
    struct profile_sum *nodes = add_up(profile);
    struct profile_function *functions = calloc(profile->nr_nodes, sizeof(*functions));
    size_t used = 0;
    for (size_t i = 1; i < profile->nr_nodes && nodes && functions; i++) {
        const struct profile_node *node = &profile->nodes[i];
        size_t at = 0;
        if (!node->name || node->entry != entry)
            continue;
        while (at < used && functions[at].name != node->name)
            at++;
        used += at == used;
        functions[at].name = node->name;
        functions[at].calls += node->calls;
        functions[at].total_branches += nodes[i].branches;
        functions[at].total_ticks += nodes[i].ticks;
    }
    free(nodes);
    *count = used;
    if (functions)
        qsort(functions, used, sizeof(*functions), profile_by_total);
    return functions;
}
