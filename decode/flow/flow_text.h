/*
 * Lists as text, which several threads make at once and which is written in the order of the trace. A thread makes the
 * text of a chunk in a buffer of its own; where it is the chunk's turn it is written at once, else the buffer is left
 * for whoever comes to it, and the thread goes on with its other one. A chunk whose text is larger than a buffer may be
 * waits for its turn: so memory is bounded, and none waits for one behind it.
 */
#ifndef DECODE_FLOW_TEXT_H
#define DECODE_FLOW_TEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"

#define FLOW_TEXT_LINE 96u /* bytes of text that a branch or an instruction takes, at most */

enum flow_text_list { FLOW_TEXT_BRANCHES, FLOW_TEXT_INSTRUCTIONS, FLOW_TEXT_NR_LISTS };

/* Texts of lists: how they are made, by several threads at once, and who takes them, one at a time and in order. */
struct flow_text {
    /* Return how many bytes they have written to text. NULL: no such list. */
    size_t (*branches)(char *text, const struct flow_branch *branches, size_t count, uint64_t tsc);
    size_t (*instruction)(char *text, uint64_t ip);
    void (*write)(void *context, enum flow_text_list list, const char *text, size_t size);
    void *context;
};

struct flow_text_buffer {
    struct {
        char *bytes;
        size_t used, room;
    } lists[FLOW_TEXT_NR_LISTS];
    bool waits; /* its chunk is decoded, and its turn has not come */
    size_t chunk;
};

struct flow_text_order {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    const struct flow_text *text;
    struct flow_text_buffer *buffers; /* FLOW_TEXT_BUFFERS for each thread */
    size_t nr_buffers;
    size_t turn;  /* the chunk whose text is written next; chunks are numbered from 0 */
    bool writing; /* somebody writes buffers that waited */
};

#define FLOW_TEXT_BUFFERS 2u

/* Of one thread. */
struct flow_text_maker {
    struct flow_text_order *order;
    struct flow_text_buffer *own; /* FLOW_TEXT_BUFFERS of them */
    struct flow_text_buffer *buffer;
};

/* false: no memory; flow_text_destroy is needed in both cases. */
bool flow_text_init(struct flow_text_order *order, const struct flow_text *text, unsigned threads);
void flow_text_destroy(struct flow_text_order *order);

/* thread: 0 to threads - 1. */
void flow_text_maker_init(struct flow_text_maker *maker, struct flow_text_order *order, unsigned thread);

/* A chunk: chunks are begun in the order of their numbers, by whichever thread. */
void flow_text_begin(struct flow_text_maker *maker, size_t chunk);
void flow_text_take_branches(struct flow_text_maker *maker, const struct flow_branch *branches, size_t count,
                             uint64_t tsc);
void flow_text_take_instruction(struct flow_text_maker *maker, uint64_t ip);
void flow_text_finish(struct flow_text_maker *maker);

#endif
