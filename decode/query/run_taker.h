/* Decoding stretches into runs: the state of one thread. */
#ifndef DECODE_QUERY_RUN_TAKER_H
#define DECODE_QUERY_RUN_TAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow_trace.h"
#include "decode/query/index_file.h"
#include "decode/query/run_spaces.h"
#include "decode/query/run_table.h"

/* When each granule was executed last: open addressing, of one thread. */
struct run_granule {
    uint64_t number; /* of the granule */
    uint32_t stamp;  /* 0: the place is free */
};

/* A run of the stretch and space that are decoded now: executions that the table does not count yet. Most runs are
 * executed again soon. */
#define RUN_NR_RECENT 4096u
struct run_recent {
    uint64_t begin, last; /* begin > last: none */
    uint64_t count, tsc;
};

struct run_taker {
    struct run_table runs;
    struct run_spaces *spaces;
    const struct flow_trace *trace;
    struct flow *flow;
    uint32_t stretch, stamp; /* the stretch's number; the chunk's, plus 1 */
    bool known;              /* ip is */
    uint64_t ip;
    uint64_t tsc;                      /* of the last batch: time never goes back */
    struct run_recent *recent;         /* RUN_NR_RECENT of them */
    uint64_t recent_cr3, recent_until; /* recent_until: before this trace offset it is the same process's */
    const struct name_task *recent_process;
    uint32_t recent_space;
    struct run_granule *granules;
    size_t granules_size, granules_used;
    uint64_t *set; /* granules of the chunk */
    size_t set_used, set_room;
    struct space_set space_set; /* of the chunk */
    bool no_memory;
};

/* What a chunk of stretches adds up to. */
struct run_sums {
    uint64_t branches, instructions, errors, last_tsc;
};

/* false: no memory. The spaces must outlive it. */
bool run_taker_init(struct run_taker *taker, struct run_spaces *spaces);

/* From now on stretches are this trace's. false: error says why. */
bool run_taker_turn(struct run_taker *taker, const struct flow_trace *trace, struct error *error);
void run_taker_free(struct run_taker *taker);

/* Stretches first to first + count - 1 of the trace, whose numbers begin with number. The sets are theirs then.
 * branches: of each stretch. */
void run_taker_chunk(struct run_taker *taker, size_t first, size_t count, uint32_t number, uint32_t stamp,
                     uint64_t *branches, struct run_sums *sums);

#endif
