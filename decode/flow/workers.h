/* Threads that work side by side: the only place, beside flow_live.c, where the host tool starts any. */
#ifndef DECODE_FLOW_WORKERS_H
#define DECODE_FLOW_WORKERS_H

#include <pthread.h>
#include <stddef.h>

#define WORKERS_MAX 64u

struct workers {
    pthread_t threads[WORKERS_MAX];
    unsigned started;
};

/* How many to use: as many as wanted, or as there are processors if wanted is 0; at most WORKERS_MAX. */
unsigned workers_count(unsigned wanted);

/* Start count threads; thread i runs run(contexts + i * size). Returns how many could be started. */
unsigned workers_start(struct workers *workers, unsigned count, void *(*run)(void *context), void *contexts,
                       size_t size);
void workers_join(struct workers *workers);

#endif
