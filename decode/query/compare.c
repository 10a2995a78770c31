#include "decode/query/compare.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_IMAGE 0xffffffff80000000ull /* Linux' __START_KERNEL_map */
#define SLIDE_ALIGNMENT 0x200000ull        /* CONFIG_PHYSICAL_ALIGN of x86-64 */

/* The lowest address of the kernel's image that was executed; 0: none was. */
static uint64_t lowest(const struct indexed_capture *indexed)
{
    for (uint64_t i = 0; i < indexed->index.header->counts[INDEX_RUNS]; i++)
        if (indexed->index.runs[i].begin >= KERNEL_IMAGE)
            return indexed->index.runs[i].begin;
    return 0;
}

struct compare_slide compare_slides(const struct indexed_capture *a, const struct indexed_capture *b)
{
    const uint64_t in_a = lowest(a), in_b = lowest(b);
    const uint64_t difference = in_b - in_a;
    return (struct compare_slide){in_a && in_b && difference % SLIDE_ALIGNMENT == 0, difference};
}

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

bool compare_same_name(const struct compare_slide *slide, const struct name *a, const struct name *b)
{
    if (a->symbol || b->symbol)
        return compare_texts(a->symbol, b->symbol) == 0 && compare_texts(a->object, b->object) == 0;
    return compare_moved(slide, a->begin) == b->begin;
}

/* By object and symbol; those without one by where they begin in b. */
static int order(const struct compare_slide *slide, const struct name *a, bool a_moves, const struct name *b,
                 bool b_moves)
{
    const uint64_t at_a = a_moves ? compare_moved(slide, a->begin) : a->begin;
    const uint64_t at_b = b_moves ? compare_moved(slide, b->begin) : b->begin;
    const int object = compare_texts(a->object, b->object), symbol = compare_texts(a->symbol, b->symbol);
    if (object || symbol)
        return object ? object : symbol;
    return a->symbol ? 0 : at_a < at_b ? -1 : at_a > at_b;
}

static int order_of_names(const void *left, const void *right)
{
    static const struct compare_slide none;
    const struct executed_function *a = left, *b = right;
    return order(&none, a->name, false, b->name, false);
}

/* Functions of one name become one: the first that was executed. Returns how many are left. */
static size_t join_same(struct executed_function *functions, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct executed_function *last = kept ? &functions[kept - 1] : NULL;
        if (!last || order_of_names(last, &functions[i]) != 0) {
            functions[kept++] = functions[i];
            continue;
        }
        last->occurrence.entered += functions[i].occurrence.entered;
        last->occurrence.runs += functions[i].occurrence.runs;
        if (functions[i].occurrence.first.stretch < last->occurrence.first.stretch)
            last->occurrence.first = functions[i].occurrence.first;
    }
    return kept;
}

static bool collect(struct comparison *c, int side, const struct indexed_capture *indexed)
{
    struct executed_function *functions = c->functions[side] =
        functions_executed(indexed, &(struct executed_filter){0}, &c->counts[side]);
    if (functions && c->counts[side])
        qsort(functions, c->counts[side], sizeof(*functions), order_of_names);
    c->counts[side] = functions ? join_same(functions, c->counts[side]) : 0;
    return functions != NULL;
}

static void add(struct comparison *c, const struct executed_function *a, const struct executed_function *b)
{
    c->items[c->nr_items++] = (struct compared_function){a, b};
    c->only_a += !b;
    c->only_b += !a;
    c->both += a && b;
    c->other_counts += a && b && a->occurrence.entered != b->occurrence.entered;
}

bool compare_functions(struct comparison *c, const struct indexed_capture *a, const struct indexed_capture *b,
                       const struct compare_slide *slide)
{
    *c = (struct comparison){0};
    if (!collect(c, 0, a) || !collect(c, 1, b))
        return false;
    c->items = malloc((c->counts[0] + c->counts[1] + 1) * sizeof(*c->items));
    if (!c->items)
        return false;
    for (size_t i = 0, k = 0; i < c->counts[0] || k < c->counts[1];) {
        const struct executed_function *in_a = i < c->counts[0] ? &c->functions[0][i] : NULL;
        const struct executed_function *in_b = k < c->counts[1] ? &c->functions[1][k] : NULL;
        const int which = !in_a ? 1 : !in_b ? -1 : order(slide, in_a->name, true, in_b->name, false);
        add(c, which <= 0 ? in_a : NULL, which >= 0 ? in_b : NULL);
        i += which <= 0;
        k += which >= 0;
    }
    return true;
}

static uint64_t difference_of(const struct compared_function *item)
{
    const uint64_t a = item->a ? item->a->occurrence.entered : 0, b = item->b ? item->b->occurrence.entered : 0;
    return a > b ? a - b : b - a;
}

static int compare_differences(const void *left, const void *right)
{
    const struct compared_function *a = left, *b = right;
    const uint64_t in_a = difference_of(a), in_b = difference_of(b);
    if (in_a != in_b)
        return in_a > in_b ? -1 : 1;
    const struct executed_function *of_a = a->a ? a->a : a->b, *of_b = b->a ? b->a : b->b;
    if (moment_comes_before(&of_a->occurrence.first, &of_b->occurrence.first))
        return -1;
    if (moment_comes_before(&of_b->occurrence.first, &of_a->occurrence.first))
        return 1;
    return of_a->name->number < of_b->name->number ? -1 : of_a->name->number > of_b->name->number;
}

void comparison_sort(struct comparison *c)
{
    if (c->nr_items)
        qsort(c->items, c->nr_items, sizeof(*c->items), compare_differences);
}

void comparison_free(struct comparison *c)
{
    free(c->functions[0]);
    free(c->functions[1]);
    free(c->items);
    *c = (struct comparison){0};
}
