#include "decode/align/sequence.h"

#include <stdlib.h>
#include <string.h>

/* Of each number of edits d, how far each diagonal -d to d gets in a; diagonal
 * k: index in a less index in b. */
struct search {
    const uint64_t *a, *b;
    size_t nr_a, nr_b;
    ptrdiff_t *reach; /* rows of 2 * SEQUENCE_EDITS + 3, one for each d; the
                         diagonal 0 is in the middle */
};

#define ROW (2 * (ptrdiff_t)SEQUENCE_EDITS + 3)

static ptrdiff_t *row_of(const struct search *search, ptrdiff_t edits)
{
    return search->reach + edits * ROW + ROW / 2;
}

/* Where diagonal k is entered with d edits: from the diagonal above by a
 * deletion, or from below by an insertion. */
static ptrdiff_t enter(const ptrdiff_t *before, ptrdiff_t k, ptrdiff_t d)
{
    return k == -d || (k != d && before[k - 1] < before[k + 1]) ? before[k + 1] : before[k - 1] + 1;
}

static ptrdiff_t follow(const struct search *search, ptrdiff_t x, ptrdiff_t k)
{
    while (x < (ptrdiff_t)search->nr_a && x - k < (ptrdiff_t)search->nr_b && x - k >= 0 &&
           search->a[x] == search->b[x - k])
        x++;
    return x;
}

/* Search with more and more edits until both ends are reached, or no more are
 * allowed. Returns the number of edits, and *diagonal, on which it got
 * farthest. */
static ptrdiff_t run(const struct search *search, ptrdiff_t *diagonal)
{
    const ptrdiff_t nr_a = (ptrdiff_t)search->nr_a, nr_b = (ptrdiff_t)search->nr_b;
    for (ptrdiff_t d = 0;; d++) {
        ptrdiff_t *reach = row_of(search, d), best = -1;
        for (ptrdiff_t k = -d; k <= d; k += 2) {
            const ptrdiff_t x = d == 0 ? 0 : enter(row_of(search, d - 1), k, d);
            if (x > nr_a || x - k > nr_b || x < 0) {
                reach[k] = x > nr_a ? nr_a + 1 : x; /* outside: it leads nowhere */
                continue;
            }
            reach[k] = follow(search, x, k);
            if (2 * reach[k] - k > best) {
                best = 2 * reach[k] - k;
                *diagonal = k;
            }
            if (reach[k] == nr_a && reach[k] - k == nr_b)
                return d;
        }
        if (d == SEQUENCE_EDITS)
            return d;
    }
}

/* Back from where it ended; what was passed on a diagonal without an edit is
 * aligned. */
static void trace_back(size_t *partner, const struct search *search, ptrdiff_t d, ptrdiff_t k)
{
    for (ptrdiff_t x = row_of(search, d)[k];; d--) {
        const ptrdiff_t *before = d > 0 ? row_of(search, d - 1) : NULL;
        const ptrdiff_t entered = before ? enter(before, k, d) : 0;
        while (x > entered) {
            x--;
            partner[x] = (size_t)(x - k);
        }
        if (!before)
            return;
        const bool inserted = k == -d || (k != d && before[k - 1] < before[k + 1]);
        k += inserted ? 1 : -1;
        x = before[k];
    }
}

/* Align one stretch from the beginning. Returns how much of a and b it took. */
static void align_stretch(size_t *partner, const struct search *search, size_t *took_a, size_t *took_b)
{
    ptrdiff_t diagonal = 0;
    const ptrdiff_t edits = run(search, &diagonal), x = row_of(search, edits)[diagonal];
    trace_back(partner, search, edits, diagonal);
    *took_a = (size_t)x;
    *took_b = (size_t)(x - diagonal);
}

/* Without the common beginning and end, which most have. */
static bool align_middle(size_t *partner, const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
    struct search search = {a, b, nr_a, nr_b, NULL};
    if (nr_a == 0 || nr_b == 0)
        return true;
    const size_t edits = nr_a + nr_b < SEQUENCE_EDITS ? nr_a + nr_b : SEQUENCE_EDITS;
    search.reach = malloc((edits + 1) * (size_t)ROW * sizeof(*search.reach));
    if (!search.reach)
        return false;
    for (size_t at_a = 0, at_b = 0; at_a < nr_a && at_b < nr_b;) {
        size_t took_a, took_b;
        search.a = a + at_a;
        search.b = b + at_b;
        search.nr_a = nr_a - at_a;
        search.nr_b = nr_b - at_b;
        align_stretch(partner + at_a, &search, &took_a, &took_b);
        for (size_t i = at_a; i < at_a + took_a; i++)
            if (partner[i] != SEQUENCE_NONE)
                partner[i] += at_b;
        at_a += took_a;
        at_b += took_b;
    }
    free(search.reach);
    return true;
}

bool sequence_align(size_t *partner, const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < nr_a; i++)
        partner[i] = SEQUENCE_NONE;
    for (; begin < nr_a && begin < nr_b && a[begin] == b[begin]; begin++)
        partner[begin] = begin;
    for (; end < nr_a - begin && end < nr_b - begin && a[nr_a - end - 1] == b[nr_b - end - 1]; end++)
        partner[nr_a - end - 1] = nr_b - end - 1;
    const size_t left_a = nr_a - begin - end, left_b = nr_b - begin - end;
    if (!align_middle(partner + begin, a + begin, left_a, b + begin, left_b))
        return false;
    for (size_t i = begin; i < begin + left_a; i++)
        if (partner[i] != SEQUENCE_NONE)
            partner[i] += begin;
    return true;
}
