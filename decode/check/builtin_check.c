#include "decode/check/builtin_check.h"

#include "boot/guest/builtin_guest.h"
#include "decode/check/builtin_flow.h"

static void take_expected(void *context, uint64_t from, uint64_t to)
{
    branch_list_take(context, from, to);
}

static bool same(const struct truth_branch *a, const struct truth_branch *b)
{
    return a->from == b->from && a->to == b->to;
}

/* For how many branches do the lists agree from here on, of as many as it takes? */
static unsigned agreement(const struct branch_list *a, size_t i, const struct branch_list *b, size_t j)
{
    unsigned n = 0;
    while (n < BUILTIN_AGREE && i + n < a->count && j + n < b->count && same(&a->items[i + n], &b->items[j + n]))
        n++;
    return n;
}

/* Behind a hole: where at or behind i the expected branches are the decoded ones again. The first place where they are
 * so for long, as the guest's recursions repeat themselves; else, where another hole is near, the best one. Their
 * count: there is none. */
static size_t find_again(const struct branch_list *expected, size_t i, const struct branch_list *decoded, size_t j)
{
    const size_t left = decoded->count - j;
    unsigned best = left < BUILTIN_AGREE_LEAST ? (unsigned)left - 1 : BUILTIN_AGREE_LEAST - 1;
    size_t found = expected->count;
    for (; i < expected->count && best < BUILTIN_AGREE && best < left; i++) {
        const unsigned n = agreement(expected, i, decoded, j);
        if (n > best) {
            best = n;
            found = i;
        }
    }
    return found;
}

static void add_hole(struct builtin_check *check, size_t missing)
{
    check->holes += missing > 0;
    check->missing += missing;
}

/* Where the machine stays on behind the guest's end, it waits in a loop. */
static bool is_waiting(const struct truth_branch *branch, uint64_t base)
{
    return branch->from == base + BUILTIN_IDLE;
}

/* Between two holes that are near one another there may be too few branches to say where they belong. */
static void add_unplaced(struct builtin_check *check, const struct branch_list *expected, size_t i,
                         const struct truth_branch *branch)
{
    if (check->unplaced++ > 0)
        return;
    check->first = *branch;
    check->wanted = i < expected->count ? expected->items[i] : (struct truth_branch){0, 0};
}

static void compare(struct builtin_check *check, const struct branch_list *expected, const struct branch_list *decoded,
                    uint64_t base)
{
    size_t i = 0, lost = 0;
    for (size_t j = 0; j < decoded->count && lost < BUILTIN_AGREE && !is_waiting(&decoded->items[j], base); j++) {
        const bool goes_on = i < expected->count && same(&expected->items[i], &decoded->items[j]);
        const size_t again = goes_on ? i : find_again(expected, i, decoded, j);
        if (again == expected->count) {
            add_unplaced(check, expected, i, &decoded->items[j]);
            lost++;
            continue;
        }
        add_hole(check, again - i);
        i = again + 1;
        check->equal++;
        lost = 0;
    }
    check->differs = lost > 0;
    add_hole(check, expected->count - i);
}

bool builtin_compare(struct builtin_check *check, const struct branch_list *decoded, uint32_t rounds)
{
    struct branch_list expected = {0};
    const uint64_t page = BUILTIN_CODE_BYTES - 1, base = decoded->count ? decoded->items[0].from & ~page : 0;
    builtin_flow(base, rounds, take_expected, &expected);
    const bool good = !expected.no_memory && !decoded->no_memory;
    *check = (struct builtin_check){.expected = expected.count, .decoded = decoded->count};
    if (good)
        compare(check, &expected, decoded, base);
    branch_list_free(&expected);
    return good;
}
