/* The pairs of tasks, and the alignment of each. */
#include "decode/align/align.h"

#include <stdlib.h>

#include "decode/align/align_state.h"
#include "decode/align/sequence.h"
#include "decode/capture/list.h"

static struct align_pair *add_pair(struct alignment *alignment, const struct task_calls *a, const struct task_calls *b)
{
    void *pairs = alignment->pairs;
    struct align_pair *pair = list_add(&pairs, &alignment->count, &alignment->room, sizeof(*pair));
    alignment->pairs = pairs;
    alignment->no_memory |= !pair;
    if (pair)
        *pair = (struct align_pair){.tasks = {a, b}, .differs = !a || !b};
    return pair;
}

static int by_calls(const void *left, const void *right)
{
    const struct align_extra *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void align_pair(struct alignment *alignment, const struct task_calls *a, const struct task_calls *b)
{
    struct align_pair *pair = add_pair(alignment, a, b);
    const struct call_trees *trees = alignment->trees;
    if (!pair || a->tree == b->tree)
        return;
    struct align_work work = {.alignment = alignment, .trees = trees, .pair = pair};
    align_lists(&work, (struct align_list){call_tree_items(trees, a->tree), trees->trees[a->tree].nr_items, 0, NULL},
                (struct align_list){call_tree_items(trees, b->tree), trees->trees[b->tree].nr_items, 0, NULL},
                ALIGN_EQUAL);
    if (pair->nr_extras > 0)
        qsort(pair->extras, pair->nr_extras, sizeof(*pair->extras), by_calls);
}

/* The tasks of each boot, and which of them have a partner. */
struct task_pairs {
    const struct boot_calls *boots[2];
    size_t *partner[2]; /* plus 1; 0: none yet */
};

/* Of the tasks without a partner, pair those that agree on a level, in their
 * order. */
static bool pair_level(struct task_pairs *tasks, const struct call_trees *trees, enum align_level level)
{
    uint64_t *tokens[2] = {NULL, NULL};
    size_t *index[2] = {NULL, NULL}, count[2] = {0, 0}, *partner = NULL;
    bool good = true;
    for (unsigned side = 0; side < 2; side++) {
        const struct boot_calls *boot = tasks->boots[side];
        tokens[side] = calloc(boot->count + 1, sizeof(**tokens));
        index[side] = calloc(boot->count + 1, sizeof(**index));
        good = good && tokens[side] && index[side];
        for (size_t i = 0; good && i < boot->count; i++) {
            if (tasks->partner[side][i])
                continue;
            index[side][count[side]] = i;
            tokens[side][count[side]++] = align_token(trees, &(struct call_item){boot->tasks[i].tree, 1}, level);
        }
    }
    good = good && (partner = calloc(count[0] + 1, sizeof(*partner))) &&
           sequence_align(partner, tokens[0], count[0], tokens[1], count[1]);
    for (size_t i = 0; good && i < count[0]; i++)
        if (partner[i] != SEQUENCE_NONE) {
            tasks->partner[0][index[0][i]] = index[1][partner[i]] + 1;
            tasks->partner[1][index[1][partner[i]]] = index[0][i] + 1;
        }
    for (unsigned side = 0; side < 2; side++) {
        free(tokens[side]);
        free(index[side]);
    }
    free(partner);
    return good;
}

/* Of one name, whatever the order. */
static void pair_rest(struct task_pairs *tasks, const struct call_trees *trees)
{
    for (size_t i = 0; i < tasks->boots[0]->count; i++)
        for (size_t k = 0; !tasks->partner[0][i] && k < tasks->boots[1]->count; k++) {
            const uint32_t a = tasks->boots[0]->tasks[i].tree, b = tasks->boots[1]->tasks[k].tree;
            if (tasks->partner[1][k] || trees->trees[a].function != trees->trees[b].function)
                continue;
            tasks->partner[0][i] = k + 1;
            tasks->partner[1][k] = i + 1;
        }
}

static void align_tasks(struct alignment *alignment, const struct task_pairs *tasks)
{
    for (size_t i = 0; i < tasks->boots[0]->count; i++) {
        const size_t partner = tasks->partner[0][i];
        if (partner)
            align_pair(alignment, &tasks->boots[0]->tasks[i], &tasks->boots[1]->tasks[partner - 1]);
        else
            add_pair(alignment, &tasks->boots[0]->tasks[i], NULL);
    }
    for (size_t i = 0; i < tasks->boots[1]->count; i++)
        if (!tasks->partner[1][i])
            add_pair(alignment, NULL, &tasks->boots[1]->tasks[i]);
}

bool align_boots(struct alignment *alignment, const struct boot_calls *a, const struct boot_calls *b)
{
    *alignment = (struct alignment){.trees = a->trees};
    struct task_pairs tasks = {{a, b}, {calloc(a->count + 1, sizeof(size_t)), calloc(b->count + 1, sizeof(size_t))}};
    bool good = tasks.partner[0] && tasks.partner[1];
    for (enum align_level level = ALIGN_EQUAL; good && level < ALIGN_NR_LEVELS; level++)
        good = pair_level(&tasks, a->trees, level);
    if (good) {
        pair_rest(&tasks, a->trees);
        align_tasks(alignment, &tasks);
    }
    free(tasks.partner[0]);
    free(tasks.partner[1]);
    return good && !alignment->no_memory;
}

void alignment_free(struct alignment *alignment)
{
    for (size_t i = 0; i < alignment->count; i++) {
        free(alignment->pairs[i].extras);
        free(alignment->pairs[i].point.stack);
    }
    free(alignment->pairs);
    *alignment = (struct alignment){0};
}
