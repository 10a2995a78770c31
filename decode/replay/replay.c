#include "decode/replay/replay.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/query/listing.h"
#include "pt/instruction/instruction.h"

#define NEEDS (FLOW_NEED_INSTRUCTIONS | FLOW_NEED_BRANCHES | FLOW_NEED_KINDS | FLOW_NEED_TIME | FLOW_NEED_CONTEXT)

/* taken: of the stretch up to this batch, as in struct replay_item. */
static void take(struct replay_cpu *cpu, uint32_t *taken, const struct flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->tags[i] != FLOW_TAG_INSTRUCTION) {
            *taken += batch->tags[i] != INSTRUCTION_JCC;
            continue;
        }
        void *items = cpu->items;
        struct replay_item *item = list_add(&items, &cpu->count, &cpu->room, sizeof(*item));
        cpu->items = items;
        if (!item) {
            cpu->no_memory = true;
            return;
        }
        *item = (struct replay_item){.ip = batch->items[i].instruction,
                                     .cr3 = batch->context.cr3,
                                     .at = batch->context.at,
                                     .tsc = batch->context.tsc,
                                     .taken = *taken};
    }
}

/* Decode a stretch. It may have no instructions. */
static void load(struct replay_cpu *cpu, uint32_t stretch)
{
    const uint64_t begin = cpu->indexed->index.stretches[stretch].begin;
    const struct flow_batch *batch;
    uint32_t taken = 0;
    cpu->stretch = stretch;
    cpu->count = cpu->index = 0;
    source_seek(&cpu->source, (struct flow_part){begin, begin + 1});
    while ((batch = source_next(&cpu->source)))
        if (batch->kind == FLOW_BATCH_ITEMS)
            take(cpu, &taken, batch);
}

/* The next stretch in a direction; end: there is none. */
static uint32_t next_of(const struct replay_cpu *cpu, uint32_t stretch, bool backward)
{
    if (backward)
        return stretch > cpu->first ? stretch - 1 : cpu->end;
    return stretch + 1;
}

/* Load the next stretch with instructions. false: there is none, and the present one remains. */
static bool load_next(struct replay_cpu *cpu, bool backward)
{
    const uint32_t was = cpu->stretch;
    const size_t index = cpu->index;
    for (uint32_t stretch = next_of(cpu, was, backward); stretch != cpu->end;
         stretch = next_of(cpu, stretch, backward)) {
        load(cpu, stretch);
        if (cpu->count > 0) {
            cpu->index = backward ? cpu->count - 1 : 0;
            return true;
        }
    }
    load(cpu, was);
    cpu->index = index;
    return false;
}

bool replay_open(struct replay_cpu *cpu, const struct indexed_capture *indexed, uint16_t number, struct error *error)
{
    const struct query_index *index = &indexed->index;
    *cpu = (struct replay_cpu){.indexed = indexed, .cpu = number};
    for (uint64_t i = 0; i < index->header->counts[INDEX_CHUNKS]; i++) {
        const struct index_chunk *chunk = &index->chunks[i];
        if (chunk->cpu != number)
            continue;
        if (cpu->end == 0)
            cpu->first = chunk->first_stretch;
        cpu->end = chunk->first_stretch + chunk->nr_stretches;
    }
    if (cpu->first == cpu->end ||
        !source_open(&cpu->source, &indexed->traces[number], (struct flow_part){0, 0}, NEEDS, error))
        return false;
    load(cpu, cpu->first);
    return cpu->count > 0 || load_next(cpu, false);
}

void replay_close(struct replay_cpu *cpu)
{
    source_close(&cpu->source);
    free(cpu->items);
}

void replay_seek(struct replay_cpu *cpu, uint64_t tsc)
{
    const struct index_stretch *stretches = cpu->indexed->index.stretches;
    uint32_t stretch = cpu->first;
    for (uint32_t i = cpu->first; i < cpu->end && (stretches[i].tsc == 0 || stretches[i].tsc <= tsc); i++)
        stretch = i;
    load(cpu, stretch);
    while (cpu->index + 1 < cpu->count && cpu->items[cpu->index + 1].tsc <= tsc)
        cpu->index++;
    if (cpu->count == 0 && !load_next(cpu, true))
        load_next(cpu, false);
}

enum replay_stop replay_step(struct replay_cpu *cpu, bool backward)
{
    if (backward ? cpu->index > 0 : cpu->index + 1 < cpu->count)
        cpu->index += backward ? (size_t)-1 : 1;
    else if (!load_next(cpu, backward))
        return backward ? REPLAY_BEGIN : REPLAY_END;
    return REPLAY_MOVED;
}

static bool is_break(const struct replay_breaks *breaks, uint64_t ip)
{
    for (size_t i = 0; i < breaks->count; i++)
        if (breaks->addresses[i] == ip)
            return true;
    return false;
}

/* Find a break in the loaded stretch, from index on. true: it is the present instruction then. */
static bool find_here(struct replay_cpu *cpu, const struct replay_breaks *breaks, size_t index, bool backward)
{
    for (; index < cpu->count; index += backward ? (size_t)-1 : 1)
        if (is_break(breaks, cpu->items[index].ip)) {
            cpu->index = index;
            return true;
        }
    return false;
}

/* Does the chunk of a stretch execute code at one of the addresses, by the index? */
static bool may_have(const struct replay_cpu *cpu, const struct replay_breaks *breaks, uint32_t stretch)
{
    for (size_t i = 0; i < breaks->count; i++) {
        const struct listing_range range = {breaks->addresses[i], breaks->addresses[i] + 1};
        const struct listing listing = {.indexed = cpu->indexed, .cpu = cpu->cpu, .ranges = &range, .nr_ranges = 1};
        if (listing_matches(&listing, index_chunk_of(&cpu->indexed->index, stretch)))
            return true;
    }
    return false;
}

/* To the last instruction in this direction. */
static enum replay_stop go_to_end(struct replay_cpu *cpu, bool backward)
{
    load(cpu, backward ? cpu->first : cpu->end - 1);
    if (cpu->count == 0)
        load_next(cpu, !backward);
    cpu->index = backward ? 0 : cpu->count - 1;
    return backward ? REPLAY_BEGIN : REPLAY_END;
}

enum replay_stop replay_find(struct replay_cpu *cpu, const struct replay_breaks *breaks, bool backward)
{
    const size_t next = backward ? cpu->index - 1 : cpu->index + 1; /* before the first one: not below count */
    if (find_here(cpu, breaks, next, backward))
        return REPLAY_HIT;
    for (uint32_t stretch = next_of(cpu, cpu->stretch, backward); stretch != cpu->end;
         stretch = next_of(cpu, stretch, backward)) {
        if (!may_have(cpu, breaks, stretch))
            continue;
        load(cpu, stretch);
        if (cpu->count > 0 && find_here(cpu, breaks, backward ? cpu->count - 1 : 0, backward))
            return REPLAY_HIT;
        if (cpu->count > 0 && breaks->interrupted && breaks->interrupted(breaks->context))
            return REPLAY_INTERRUPTED;
    }
    return go_to_end(cpu, backward);
}

size_t replay_read(const struct replay_cpu *cpu, uint64_t address, uint8_t *bytes, size_t size)
{
    const struct code_pages *pages = &cpu->indexed->traces[cpu->cpu].pages;
    const struct replay_item *now = replay_now(cpu);
    const uint64_t space = now->cr3 == FLOW_CR3_UNKNOWN ? now->cr3 : code_pages_space(pages, now->cr3);
    return code_pages_read(pages, space, now->at, address, bytes, size);
}
