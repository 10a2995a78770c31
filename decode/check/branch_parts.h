/*
 * A trace with gaps, branch by branch: each stretch that was decoded against the emulator's list of all branches, from
 * the checkpoint on at which the stretch begins. For small runs: all decoded branches are kept. Pure.
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
    bool no_memory; /* some are missing */
};

/* Take the next decoded branch; a branch hook. */
void branch_list_take(void *list, uint64_t from, uint64_t to);
void branch_list_free(struct branch_list *list);

struct branch_parts {
    uint64_t stretches, branches; /* that are, one by one, those of the list */
    bool differs;
    uint64_t begin;              /* trace offset of the first stretch that differs */
    uint64_t number;             /* of the branch of the stretch that does */
    struct truth_branch decoded; /* it */
    struct truth_branch taken;   /* the list's; 0 where the list ends before */
};

/* results are those that were aligned. A stretch that could not be placed is looked for in what the list has behind the
 * one before it, from checkpoint to checkpoint. false: no memory; error says so. */
bool branch_parts_compare(struct branch_parts *parts, const struct truth_cpu *truth, const struct branch_check *all,
                          const struct branch_list *decoded, const struct flow_result *results, size_t nr_results,
                          const struct truth_aligned *aligned, struct error *error);

#endif
