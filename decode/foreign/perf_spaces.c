#include "decode/foreign/perf_spaces.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/capture/psb.h"
#include "decode/engine/clock.h"
#include "decode/flow/flow_cut.h"
#include "pt/packet/packet.h"

#define PIP_BYTES 8u
#define SPACE_SHIFT 12u /* of the CR3 that is made up for a program */
#define TSC_MASK ((1ull << 56) - 1)

/* Walks along the packets and keeps the time. */
struct walker {
    const uint8_t *bytes;
    uint64_t size, at; /* of the next packet */
    struct packet packet;
    enum packet_block block; /* of the next packet */
    uint64_t packet_at;      /* offset of this one; bytes between the packet before and this one could not be read */
    struct engine_clock clock;
    const struct perf_point *points;
    size_t nr_points, point;
    const struct gaps *gaps;
    size_t gap;              /* the next one */
    enum packet_kind before; /* the kind of this packet, for the next one */
    bool overflown;          /* no packet since the last OVF has the IP at which execution continues */
};

static void begin(struct walker *walker, const struct foreign *foreign, const struct perf_point *points,
                  size_t nr_points)
{
    const struct flow_input *input = &foreign->trace.input;
    *walker = (struct walker){.bytes = foreign->packets.bytes,
                              .size = foreign->packets.size,
                              .at = psb_next(foreign->packets.bytes, foreign->packets.size, 0),
                              .points = points,
                              .nr_points = nr_points,
                              .gaps = &foreign->trace.gaps};
    engine_clock_begin(&walker->clock, input->cpuid_15_ebx, input->cpuid_15_eax, input->mtc_freq);
}

/* After a gap packets begin with a PSB. */
static void pass_gaps(struct walker *walker)
{
    for (; walker->gap < walker->gaps->count && walker->gaps->items[walker->gap].at <= walker->at; walker->gap++) {
        walker->at = psb_next(walker->bytes, walker->size, walker->gaps->items[walker->gap].at);
        walker->block = PACKET_BLOCK_NONE;
    }
}

/* Find the program that runs at this time. The search goes in both directions, so that a damaged TSC has no lasting
 * effect. */
static void find_point(struct walker *walker, uint64_t now)
{
    while (walker->point + 1 < walker->nr_points && (walker->points[walker->point + 1].tsc & TSC_MASK) <= now)
        walker->point++;
    while (walker->point > 0 && (walker->points[walker->point].tsc & TSC_MASK) > now)
        walker->point--;
}

/* The time of the next timing packet, if that is at most two MTC periods away; else the current time. */
static uint64_t next_time(const struct walker *walker)
{
    const struct engine_clock *now = &walker->clock;
    struct engine_clock clock = *now;
    const uint64_t period = clock.denominator ? ((uint64_t)clock.numerator << clock.mtc_freq) / clock.denominator : 0;
    enum packet_block block = walker->block;
    uint64_t at = walker->at;
    while (at < walker->size && clock.tsc == now->tsc) {
        struct packet packet;
        const int size = packet_parse_next(&packet, walker->bytes + at, walker->size - at, &block);
        if (size <= 0 || packet.kind == PT_PACKET_PSB)
            break;
        engine_clock_take(&clock, &packet);
        at += (uint64_t)size;
    }
    return clock.tsc > now->tsc && clock.tsc - now->tsc <= 2 * period ? clock.tsc : now->tsc;
}

/* Does user code resume here? Then a switch before the next timing packet has happened already: the way from user code
 * through the kernel to the next switch takes longer than that. */
static bool resumes(const struct walker *walker)
{
    return walker->packet.kind == PT_PACKET_TIP_PGE || (walker->packet.kind == PT_PACKET_FUP && walker->overflown);
}

/* A PSB has the time of the TSC packet in its PSB+. */
static void take_time(struct walker *walker)
{
    struct packet packet = walker->packet;
    if (packet.kind == PT_PACKET_PSB) {
        packet =
            (struct packet){.kind = PT_PACKET_TSC, .tsc = flow_cut_tsc(walker->bytes, walker->size, walker->packet_at)};
        if (packet.tsc == 0)
            return;
    }
    engine_clock_take(&walker->clock, &packet);
}

/* The next packet. Bytes that are not a packet are skipped up to a PSB. */
static bool next(struct walker *walker)
{
    int size = -1;
    pass_gaps(walker);
    while (walker->at < walker->size && (size = packet_parse_next(&walker->packet, walker->bytes + walker->at,
                                                                  walker->size - walker->at, &walker->block)) < 0) {
        walker->block = PACKET_BLOCK_NONE;
        walker->at = psb_next(walker->bytes, walker->size, walker->at + 1);
    }
    if (walker->at >= walker->size)
        return false;
    walker->packet_at = walker->at;
    walker->at += (uint64_t)size;
    take_time(walker);
    walker->overflown =
        walker->before == PT_PACKET_OVF || (walker->overflown && walker->before != PT_PACKET_TIP_PGE &&
                                            walker->before != PT_PACKET_FUP && walker->before != PT_PACKET_PSB);
    walker->before = walker->packet.kind;
    find_point(walker, resumes(walker) ? next_time(walker) : walker->clock.tsc);
    return true;
}

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
static bool vote(struct perf_spaces *spaces, struct walker *walker)
{
    uint64_t cr3 = 0, last = 0;
    while (next(walker)) {
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

static bool has_pip(struct walker walker)
{
    while (next(&walker))
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
static bool put_pips(struct copy *copy, struct perf_spaces *spaces, struct walker *walker)
{
    size_t current = SIZE_MAX; /* none */
    while (next(walker)) {
        const enum packet_kind kind = walker->packet.kind;
        const size_t program = walker->points[walker->point].program;
        const uint64_t cr3 = (uint64_t)(program + 1) << SPACE_SHIFT;
        if (kind == PT_PACKET_PSB || (resumes(walker) && program != current)) {
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
    struct walker walker;
    struct copy copy = {.gaps = &foreign->trace.gaps};
    begin(&walker, foreign, points, nr_points);
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
