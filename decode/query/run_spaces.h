/* Address spaces in which runs are executed: a list that all threads share, and the set of one chunk. */
#ifndef DECODE_QUERY_RUN_SPACES_H
#define DECODE_QUERY_RUN_SPACES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/tasks.h"
#include "decode/query/index_file.h"

/* The spaces of all threads, numbered in the order of their first use. */
struct run_spaces {
    pthread_mutex_t lock;
    const struct tasks *tasks; /* NULL: the processes of spaces are not known */
    struct index_space *items;
    size_t count, room;
};

/* The number of a process's space, which is added if it is new. process NULL: not known. *no_memory is set if memory
 * ran out. */
uint32_t run_spaces_number(struct run_spaces *spaces, uint64_t cr3, const struct name_task *process, bool *no_memory);

/* Numbers of spaces, each once, unordered. */
struct space_set {
    uint32_t *items;
    size_t count, room;
};

/* false: no memory. */
bool space_set_add(struct space_set *set, uint32_t number);

#endif
