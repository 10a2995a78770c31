#include "decode/foreign/perf_spaces.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define PIP_BYTES 8u
#define SPACE_SHIFT 12u /* of the CR3 that is made up for a program */

/* NULL: out of memory. The result of the last call is tried first. */
static struct perf_space *find_space(struct perf_spaces *spaces, uint64_t cr3, size_t program)
{
    size_t i = spaces->last;
    if (i < spaces->count && spaces->items[i].cr3 == cr3 && spaces->items[i].program == program)
        return &spaces->items[i];
    for (i = 0; i < spaces->count; i++)
        if (spaces->items[i].cr3 == cr3 && spaces->items[i].program == program)
            break;
    spaces->last = i;
    if (i < spaces->count)
        return &spaces->items[i];
    void *items = spaces->items;
    struct perf_space *space = list_add(&items, &spaces->count, &spaces->room, sizeof(*space));
    spaces->items = items;
    if (space)
        *space = (struct perf_space){.cr3 = cr3, .program = program};
    return space;
}

/* Sum up how long each program ran with each CR3. */
static bool vote(struct perf_spaces *spaces, struct perf_walker *walker)
{
    uint64_t cr3 = 0, last = 0;
    while (perf_walk_next(walker)) {
        const uint64_t now = walker->clock.tsc, ticks = now > last && last ? now - last : 0;
        if (cr3 && ticks) {
            struct perf_space *space = find_space(spaces, cr3, walker->points[walker->point].program);
            if (!space)
                return false;
            space->ticks += ticks;
        }
        last = now;
        if (walker->packet.kind == PT_PACKET_PIP)
            cr3 = walker->packet.cr3;
    }
    return true;
}

static bool has_pip(struct perf_walker walker)
{
    while (perf_walk_next(&walker))
        if (walker.packet.kind == PT_PACKET_PIP)
            return true;
    return false;
}

/* A copy of the packets with PIPs inserted. */
struct copy {
    uint8_t *bytes;
    size_t size, room;
    uint64_t copied; /* bytes of the packets that were copied */
    struct gaps *gaps;
    size_t gap; /* the first whose offset was not adjusted yet */
};

static bool make_room(struct copy *copy, uint64_t more)
{
    if (copy->room - copy->size >= more)
        return true;
    const size_t room = 2 * (copy->size + (size_t)more);
    uint8_t *bytes = realloc(copy->bytes, room);
    if (!bytes)
        return false;
    copy->bytes = bytes;
    copy->room = room;
    return true;
}

/* Copy the packets up to this offset. A gap at it is adjusted with the packets after it. */
static bool copy_to(struct copy *copy, const uint8_t *bytes, uint64_t to)
{
    const uint64_t size = to - copy->copied;
    if (!make_room(copy, size))
        return false;
    for (; copy->gap < copy->gaps->count && copy->gaps->items[copy->gap].at < to; copy->gap++)
        copy->gaps->items[copy->gap].at += copy->size - copy->copied;
    memcpy(copy->bytes + copy->size, bytes + copy->copied, (size_t)size);
    copy->size += (size_t)size;
    copy->copied = to;
    return true;
}

/* SDM "PIP Packet Definition". */
static bool put_pip(struct copy *copy, uint64_t cr3)
{
    if (!make_room(copy, PIP_BYTES))
        return false;
    uint8_t *out = copy->bytes + copy->size;
    const uint64_t payload = cr3 >> 5 << 1;
    out[0] = 0x02;
    out[1] = 0x43;
    for (unsigned i = 0; i < PIP_BYTES - 2; i++)
        out[2 + i] = (uint8_t)(payload >> 8 * i);
    copy->size += PIP_BYTES;
    return true;
}

/* Insert a PIP into each PSB+, and where user code of another program resumes. */
static bool put_pips(struct copy *copy, struct perf_spaces *spaces, struct perf_walker *walker)
{
    size_t current = SIZE_MAX; /* none */
    while (perf_walk_next(walker)) {
        const enum packet_kind kind = walker->packet.kind;
        const size_t program = walker->points[walker->point].program;
        const uint64_t cr3 = (uint64_t)(program + 1) << SPACE_SHIFT;
        if (kind == PT_PACKET_PSB || (perf_walk_resumes(walker) && program != current)) {
            const uint64_t at = kind == PT_PACKET_PSB ? walker->at : walker->packet_at;
            if (!find_space(spaces, cr3, program) || !copy_to(copy, walker->bytes, at) || !put_pip(copy, cr3))
                return false;
            current = program;
        }
        if (kind == PT_PACKET_OVF)
            current = SIZE_MAX; /* a PIP may have been lost */
    }
    return copy_to(copy, walker->bytes, walker->size);
}

bool perf_spaces_find(struct perf_spaces *spaces, struct foreign *foreign, const struct perf_point *points,
                      size_t nr_points)
{
    struct perf_walker walker;
    struct copy copy = {.gaps = &foreign->trace.gaps};
    perf_walk_begin(&walker, foreign, points, nr_points);
    if (has_pip(walker))
        return vote(spaces, &walker);
    if (!put_pips(&copy, spaces, &walker)) {
        free(copy.bytes);
        return false;
    }
    for (; copy.gap < copy.gaps->count; copy.gap++)
        copy.gaps->items[copy.gap].at += copy.size - copy.copied;
    foreign_file_free(&foreign->packets);
    foreign->packets = (struct foreign_file){copy.bytes, copy.size};
    return true;
}

bool perf_spaces_is(const struct perf_spaces *spaces, const struct perf_space *space)
{
    for (size_t i = 0; i < spaces->count; i++)
        if (spaces->items[i].cr3 == space->cr3 && spaces->items[i].ticks > space->ticks)
            return false;
    return true;
}
