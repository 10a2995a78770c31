/* Sums over a call tree, for reports. */
#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/profile/node_sums.h"
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

static int compare_sums(const void *left, const void *right)
{
    const struct profile_sum *a = left, *b = right;
    if (a->branches != b->branches)
        return a->branches < b->branches ? 1 : -1;
    return a->process < b->process ? -1 : a->process > b->process;
}

struct profile_sum *profile_sums(const struct profile *profile, size_t *count)
{
    struct node_sums *nodes = node_sums(profile);
    struct profile_sum *sums = calloc(profile->nr_processes, sizeof(*sums));
    *count = 0;
    for (size_t i = 1; i < profile->nr_processes && nodes && sums; i++) {
        const struct node_sums *sum = &nodes[profile->processes[i].root];
        sums[(*count)++] = (struct profile_sum){i, sum->branches, sum->ticks};
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

/* Find or add the function of this name. NULL: out of memory. */
static struct profile_function *function_of(struct profile_function **functions, size_t *count, size_t *room,
                                            const struct name *name)
{
    for (size_t i = 0; i < *count; i++)
        if ((*functions)[i].name == name)
            return &(*functions)[i];
    void *items = *functions;
    struct profile_function *function = list_add(&items, count, room, sizeof(*function));
    *functions = items;
    if (function)
        *function = (struct profile_function){.name = name};
    return function;
}

/* A nested entry is counted for its own function, and in the total of the outer one. */
struct profile_function *profile_entries(const struct profile *profile, enum stack_entry entry, size_t *count)
{
    struct node_sums *nodes = node_sums(profile);
    struct profile_function *functions = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t i = 1; i < profile->nr_nodes && nodes; i++) {
        const struct profile_node *node = &profile->nodes[i];
        struct profile_function *function =
            node->name && node->entry == entry ? function_of(&functions, count, &room, node->name) : NULL;
        if (!function)
            continue;
        function->calls += node->calls;
        function->total_branches += nodes[i].branches;
        function->total_ticks += nodes[i].ticks;
    }
    free(nodes);
    if (functions)
        qsort(functions, *count, sizeof(*functions), profile_by_total);
    return functions;
}
