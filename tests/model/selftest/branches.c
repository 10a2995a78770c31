#include "branches.h"

#include <stdio.h>
#include <stdlib.h>

struct walk {
    struct branches found;
    size_t room;
    /* A branch is pending until the next instruction, or the event that comes first, tells its target. */
    uint64_t pending_from;
    int pending;
};

static void add(struct walk *walk, uint64_t from, uint64_t to)
{
    struct branches *found = &walk->found;
    if (found->nr == walk->room) {
        walk->room = walk->room ? 2 * walk->room : 4096;
        found->list = realloc(found->list, walk->room * sizeof(*found->list));
        if (found->list == NULL) {
            fprintf(stderr, "branches: no memory\n");
            exit(1);
        }
    }
    found->list[found->nr++] = (struct branch){from, to};
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
    struct walk walk = {{NULL, 0, 0, 0}, 0, 0, 0};
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
