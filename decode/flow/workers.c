#include "decode/flow/workers.h"

#include <unistd.h>

unsigned workers_count(unsigned wanted)
{
    const unsigned count = wanted ? wanted : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    return count < WORKERS_MAX ? count : WORKERS_MAX;
}

unsigned workers_start(struct workers *workers, unsigned count, void *(*run)(void *context), void *contexts,
                       size_t size)
{
    workers->started = 0;
    while (workers->started < count && pthread_create(&workers->threads[workers->started], NULL, run,
                                                      (char *)contexts + workers->started * size) == 0)
        workers->started++;
    return workers->started;
}

void workers_join(struct workers *workers)
{
    while (workers->started > 0)
        pthread_join(workers->threads[--workers->started], NULL);
}
