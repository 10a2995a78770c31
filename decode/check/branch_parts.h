/*
 * Compares a trace with gaps branch by branch: each decoded stretch with the emulator's list of all branches, starting
 * at the checkpoint at which the stretch begins. For small runs: all decoded branches are kept. Pure.
 */
#ifndef DECODE_BRANCH_PARTS_H
#define DECODE_BRANCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/check/branch_check.h"
#include "decode/check/truth_align.h"

/* All decoded branches, in order. */
struct branch_list {
    struct truth_branch *items;
    size_t count, room;
    bool no_memory; /* out of memory: some are missing */
};

/* Take the next decoded branch; a branch hook. */
void branch_list_take(void *list, uint64_t from, uint64_t to);
void branch_list_free(struct branch_list *list);

struct branch_parts {
    uint64_t stretches, branches; /* that equal the list */
    bool differs;
    uint64_t begin;              /* trace offset of the first stretch that differs */
    uint64_t number;             /* index of the first branch in it that differs */
    struct truth_branch decoded; /* that branch */
    struct truth_branch taken;   /* the branch of the list; 0: the list ends before */
};

/* results: those that were passed to truth_align. A stretch that it could not place is searched after the stretch
 * before it, from checkpoint to checkpoint. false: out of memory. */
bool branch_parts_compare(struct branch_parts *parts, const struct truth_cpu *truth, const struct branch_check *all,
                          const struct branch_list *decoded, const struct flow_result *results, size_t nr_results,
                          const struct truth_aligned *aligned, struct error *error);

#endif
