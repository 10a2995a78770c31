#include "decode/check/branch_parts.h"

#include <stdlib.h>

void branch_list_take(void *context, uint64_t from, uint64_t to)
{
    struct branch_list *list = context;
    if (list->count == list->room && !list->no_memory) {
        size_t room = list->room ? 2 * list->room : 65536;
        struct truth_branch *more = realloc(list->items, room * sizeof(*more));
        list->no_memory = !more;
        if (more) {
            list->items = more;
            list->room = room;
        }
    }
    if (!list->no_memory)
        list->items[list->count++] = (struct truth_branch){from, to};
}

void branch_list_free(struct branch_list *list)
{
    free(list->items);
    *list = (struct branch_list){0};
}

/* The next branch of the list from *at on; entries that mark an overflow are skipped. NULL: there is none. */
static const struct truth_branch *next_taken(const struct branch_check *all, size_t *at)
{
    while (*at < all->count && all->expected[*at].from == TRUTH_LIST_OVERFLOW)
        ++*at;
    return *at < all->count ? &all->expected[(*at)++] : NULL;
}

/* The index in the list at which the interval after each checkpoint begins. NULL: out of memory. */
static size_t *find_starts(const struct truth_cpu *truth, const struct branch_check *all)
{
    size_t *starts = calloc(truth->nr_checkpoints + 1, sizeof(*starts));
    size_t at = 0;
    for (size_t i = 0; starts && i < truth->nr_checkpoints; i++) {
        for (uint64_t n = 0; n < truth->checkpoints[i].branches; n++)
            next_taken(all, &at);
        starts[i] = at;
    }
    return starts;
}

/* How many of the branches equal the list from `at` on. *taken: the last branch of the list that was compared. */
static uint64_t count_same(const struct branch_check *all, size_t at, const struct truth_branch *branches,
                           uint64_t count, struct truth_branch *taken)
{
    for (uint64_t n = 0; n < count; n++) {
        const struct truth_branch *next = next_taken(all, &at);
        *taken = next ? *next : (struct truth_branch){0, 0};
        if (!next || next->from != branches[n].from || next->to != branches[n].to)
            return n;
    }
    return count;
}

/* The first checkpoint from *i on at which the stretch can begin. A placed stretch begins at the checkpoint with its
 * offset, another one where the list has the same branches. false: there is none. */
static bool find_checkpoint(size_t *i, const struct truth_cpu *truth, const struct branch_check *all,
                            const size_t *starts, const struct flow_result *placed, const struct truth_branch *branches,
                            uint64_t count)
{
    struct truth_branch taken;
    for (; *i < truth->nr_checkpoints; ++*i)
        if (placed ? truth->checkpoints[*i].trace_offset == placed->begin
                   : count_same(all, starts[*i], branches, count, &taken) == count)
            return true;
    return false;
}

bool branch_parts_compare(struct branch_parts *parts, const struct truth_cpu *truth, const struct branch_check *all,
                          const struct branch_list *decoded, const struct flow_result *results, size_t nr_results,
                          const struct truth_aligned *aligned, struct error *error)
{
    size_t *starts = find_starts(truth, all);
    const struct truth_branch *branches = decoded->items;
    *parts = (struct branch_parts){0};
    if (!starts || decoded->no_memory) {
        free(starts);
        return error_set(error, ERROR_MEMORY, 0, "%zu branches", decoded->count);
    }
    size_t placed_at = 0; /* the checkpoint of the last placed stretch */
    size_t after = 0;     /* the checkpoint after that of the last stretch */
    size_t next = 0;      /* index of the next placed stretch */
    for (size_t i = 0; i < nr_results && !parts->differs; i++) {
        const uint64_t count = results[i].branches;
        bool placed = next < aligned->nr_results && aligned->origins[next] == i;
        const struct flow_result *where = placed ? &aligned->results[next++] : NULL;
        size_t found = placed ? placed_at : after;
        bool is = find_checkpoint(&found, truth, all, starts, where, branches, count);
        uint64_t same = is ? count_same(all, starts[found], branches, count, &parts->taken) : 0;
        parts->differs = !is || same != count;
        parts->stretches += !parts->differs;
        parts->branches += same;
        if (parts->differs) {
            parts->begin = results[i].begin;
            parts->number = same;
            parts->decoded = count > 0 ? branches[same] : (struct truth_branch){0, 0};
        }
        placed_at = is && placed ? found : placed_at;
        after = is && (placed || count > 0) ? found + 1 : after;
        branches += count;
    }
    free(starts);
    return true;
}
