/*
 * The stacks of all CPUs between two transfers as bytes, so that a later run begins there instead of at the beginning
 * of the trace, and comes to the same results. Names are saved by their numbers (decode/names/names_save.h).
 */
#ifndef DECODE_STACKS_SAVE_H
#define DECODE_STACKS_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/pack.h"
#include "decode/names/names_save.h"
#include "decode/stack/stacks.h"

/* Can they be saved now? Not while it is undecided which task continues on a CPU. */
bool stacks_can_save(const struct stacks *stacks);

/* Forget which names were found in the present stretch of trace: the next transfers look them up again, as they do in a
 * run that begins here. */
void stacks_forget_names(struct stacks *stacks);

/* What is known of functions' code by one CPU, since the last call; saved: what was known then, by name number. */
struct stacks_codes {
    uint8_t *codes;
    size_t count;
};
void stacks_save_codes(struct stacks_codes *saved, const struct stacks *stacks, struct pack *pack);
bool stacks_load_codes(struct stacks *stacks, struct packed *packed);

/* Of one CPU, without its task; then of the pool that all of them share. */
void stacks_save_cpu(const struct stacks *stacks, struct pack *pack);
bool stacks_load_cpu(struct stacks *stacks, struct packed *packed);

/* cpus, pages: all CPUs of the run, in its order. user_of: what the hooks keep in a task's user field, by its number.
 */
struct stacks_set {
    struct stacks *const *of;
    unsigned count;
    const struct names *names;
    const struct names_pages *pages;
    uint64_t (*user_of)(void *context, uint32_t number);
    void *context;
};
void stacks_save_pool(const struct stacks_set *set, struct pack *pack);
bool stacks_load_pool(const struct stacks_set *set, struct packed *packed);

/* A frame as it is in all of a run's files. */
void stack_frame_save(const struct stack_frame *frame, struct pack *pack);
bool stack_frame_load(struct stack_frame *frame, const struct names *names, struct packed *packed);

/* The fields of a task but its frames. */
void stack_task_save(const struct stack_task *task, const struct names *names, const struct names_pages *pages,
                     struct pack *pack);
bool stack_task_load(struct stack_task *task, const struct names *names, const struct names_pages *pages,
                     struct packed *packed);

#endif
