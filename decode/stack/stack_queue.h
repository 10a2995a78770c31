/*
 * Transfers of one CPU on their way from the threads that decode to the one that takes all CPUs' by time. Who puts in
 * waits where too much is held.
 */
#ifndef DECODE_STACK_QUEUE_H
#define DECODE_STACK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "decode/engine/flow.h"
#include "decode/stack/stacks.h"

enum stack_queue_kind { STACK_QUEUE_TRANSFERS, STACK_QUEUE_RESULT, STACK_QUEUE_PASS_OVER, STACK_QUEUE_QUESTION };

/* What is taken out. */
struct stack_queue_entry {
    enum stack_queue_kind kind;
    struct flow_transfers transfers;
    struct flow_result result;
};

struct stack_queue_chunk;

struct stack_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct stack_queue_chunk *first, *last; /* full ones, in order */
    size_t nr_chunks;
    struct stack_queue_chunk *filled; /* by who puts in */
    struct stack_queue_chunk *read;   /* by who takes out */
    size_t read_at;
    bool ended, no_memory;
    bool asks, answer; /* a question waits; what it was answered last */
};

void stack_queue_init(struct stack_queue *queue);
void stack_queue_free(struct stack_queue *queue);

/* For struct flow_hooks; context is a struct stack_queue. */
void stack_queue_transfers(void *queue, const struct flow_transfers *transfers);
void stack_queue_result(void *queue, const struct flow_result *result);

/* What comes next does not follow: as stacks_pass_over has it. */
void stack_queue_pass_over(struct stack_queue *queue);

/* A question about the moment tsc, to whoever takes out: waits until it has come there, and is answered. */
bool stack_queue_ask(struct stack_queue *queue, uint64_t tsc);

/* Answer the question that was taken out. */
void stack_queue_answer(struct stack_queue *queue, bool answer);

/* No more is put in. */
void stack_queue_end(struct stack_queue *queue);

/* The next entry; it is good until the one after it is asked for. Waits for it. false: there are no more. */
bool stack_queue_take(struct stack_queue *queue, struct stack_queue_entry *entry);

/* Hand it to the CPU's stacks; a question is none of theirs. */
void stack_queue_give(const struct stack_queue_entry *entry, struct stacks *stacks);

#endif
