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

/* How many branches from here on are equal, up to BUILTIN_AGREE. */
static unsigned agreement(const struct branch_list *a, size_t i, const struct branch_list *b, size_t j)
{
    unsigned n = 0;
    while (n < BUILTIN_AGREE && i + n < a->count && j + n < b->count && same(&a->items[i + n], &b->items[j + n]))
        n++;
    return n;
}

/* After a hole: the index from i on at which the expected branches equal the decoded ones again. This is the first
 * index with BUILTIN_AGREE equal branches, since the guest's recursions repeat themselves; else the one with the most,
 * as another hole may be near. expected->count: there is none. */
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

/* If the machine stays on after the guest's end, it waits in a loop. */
static bool is_waiting(const struct truth_branch *branch, uint64_t base)
{
    return branch->from == base + BUILTIN_IDLE;
}

/* Between two holes there may be too few branches to place them. */
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
        const bool follows = i < expected->count && same(&expected->items[i], &decoded->items[j]);
        const size_t again = follows ? i : find_again(expected, i, decoded, j);
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
