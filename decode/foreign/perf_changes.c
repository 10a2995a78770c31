#include "decode/foreign/perf_changes.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/foreign/perf_walk.h"

static int compare_points(const void *left, const void *right)
{
    const struct perf_point *a = left, *b = right;
    return a->tsc < b->tsc ? -1 : a->tsc > b->tsc;
}

/* The start, and the time of each piece that has one; sorted, each once. NULL: out of memory. */
static struct perf_point *list_times(const struct foreign_image *image, size_t *count)
{
    struct perf_point *points = calloc(image->nr_pieces + 1, sizeof(*points));
    size_t all = 1, used = 1;
    for (size_t i = 0; points && i < image->nr_pieces; i++)
        if (image->pieces[i].since)
            points[all++].tsc = image->pieces[i].since;
    if (points)
        qsort(points, all, sizeof(*points), compare_points);
    for (size_t i = 1; points && i < all; i++)
        if (points[i].tsc != points[used - 1].tsc)
            points[used++] = points[i];
    *count = used;
    return points;
}

static bool add_change(struct foreign_image *image, uint64_t at, uint64_t since)
{
    void *items = image->changes;
    struct foreign_change *change = list_add(&items, &image->nr_changes, &image->changes_room, sizeof(*change));
    image->changes = items;
    if (change)
        *change = (struct foreign_change){at, since};
    return change != NULL;
}

/* A point that is valid where user code resumes, before its time comes, stays valid until the time changes. */
static bool find_changes(struct foreign_image *image, struct perf_walker *walker)
{
    size_t current = 0, resumed = 0;
    uint64_t resumed_at = 0;
    while (perf_walk_next(walker)) {
        if (perf_walk_resumes(walker)) {
            resumed = walker->point;
            resumed_at = walker->clock.tsc;
        }
        const bool early = resumed > walker->point && resumed_at == walker->clock.tsc;
        const size_t point = early ? resumed : walker->point;
        if (point != current && !add_change(image, walker->packet_at, walker->points[point].tsc))
            return false;
        current = point;
    }
    return true;
}

bool perf_changes_find(struct foreign *foreign)
{
    struct perf_walker walker;
    size_t count;
    struct perf_point *points = list_times(&foreign->image, &count);
    if (!points)
        return false;
    perf_walk_begin(&walker, foreign, points, count);
    const bool good = count == 1 || find_changes(&foreign->image, &walker);
    free(points);
    return good;
}
