#include "branches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct branches found;
    size_t room, instruction_room;
    /* A branch is pending until the next instruction, or the event that comes first, gives its target. */
    uint64_t pending_from;
    int pending;
};

/* A list that has room for one entry more. */
static void *with_room(void *list, size_t nr, size_t *room, size_t entry_size)
{
    if (nr < *room)
        return list;
    *room = *room ? 2 * *room : 4096;
    list = realloc(list, *room * entry_size);
    if (list == NULL) {
        fprintf(stderr, "branches: no memory\n");
        exit(1);
    }
    return list;
}

static void add(struct walk *walk, uint64_t from, uint64_t to)
{
    struct branches *found = &walk->found;
    found->list = with_room(found->list, found->nr, &walk->room, sizeof(*found->list));
    found->list[found->nr++] = (struct branch){from, to};
}

static void add_instruction(struct walk *walk, uint64_t ip)
{
    struct branches *found = &walk->found;
    found->instructions =
        with_room(found->instructions, found->nr_instructions, &walk->instruction_room, sizeof(*found->instructions));
    found->instructions[found->nr_instructions++] = ip;
}

static int is_branch(enum pt_insn_class iclass)
{
    return iclass != ptic_other && iclass != ptic_error && iclass != ptic_ptwrite;
}

static void target_is(struct walk *walk, uint64_t ip)
{
    if (walk->pending)
        add(walk, walk->pending_from, ip);
    walk->pending = 0;
}

static int drain_events(struct walk *walk, struct pt_insn_decoder *decoder, int status)
{
    while (status & pts_event_pending) {
        struct pt_event event;
        status = pt_insn_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        switch (event.type) {
        case ptev_async_branch:
            target_is(walk, event.variant.async_branch.from);
            add(walk, event.variant.async_branch.from, event.variant.async_branch.to);
            break;
        case ptev_async_disabled:
            target_is(walk, event.variant.async_disabled.at);
            break;
        case ptev_disabled:
            walk->pending = 0; /* left for where nothing is traced */
            break;
        case ptev_overflow:
            walk->pending = 0;
            add(walk, BRANCHES_OVERFLOW, event.ip_suppressed ? 0 : event.variant.overflow.ip);
            break;
        default:
            break;
        }
    }
    return status;
}

struct branches branches_decode(const struct pt_config *config, struct pt_image *image)
{
    struct walk walk = {.pending = 0};
    struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(config);
    pt_insn_set_image(decoder, image);
    int status = pt_insn_sync_forward(decoder);
    while (status >= 0) {
        struct pt_insn insn;
        status = drain_events(&walk, decoder, status);
        if (status < 0 || status & pts_eos)
            break;
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        if (status < 0)
            break;
        add_instruction(&walk, insn.ip);
        target_is(&walk, insn.ip);
        walk.pending = is_branch(insn.iclass);
        walk.pending_from = insn.ip;
    }
    if (status < 0 && status != -pte_eos) {
        walk.found.error = (int)pt_errcode(status);
        pt_insn_get_offset(decoder, &walk.found.error_offset);
    }
    pt_insn_free_decoder(decoder);
    return walk.found;
}

struct comparison branches_compare(const struct branches *found, const struct branch *expected, size_t nr_expected)
{
    struct comparison c = {0, 0, 0, 0, 0};
    while (c.truth < nr_expected && c.decoded < found->nr) {
        const struct branch *decoded = &found->list[c.decoded];
        if (decoded->from == BRANCHES_OVERFLOW) {
            while (c.truth < nr_expected && expected[c.truth].from != BRANCHES_OVERFLOW) {
                c.truth++;
                c.lost++;
            }
            if (c.truth == nr_expected || expected[c.truth].to != decoded->to)
                break;
            c.overflows++;
        } else if (memcmp(decoded, &expected[c.truth], sizeof(*decoded)) != 0) {
            break;
        } else {
            c.equal++;
        }
        c.truth++;
        c.decoded++;
    }
    return c;
}
