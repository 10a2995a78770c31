#include "decode/query/run_spaces.h"

#include <string.h>

#include "decode/capture/list.h"

_Static_assert(TASK_COMM_SIZE <= sizeof(((struct index_space *)0)->comm), "a name fits into the index");

uint32_t run_spaces_number(struct run_spaces *spaces, uint64_t cr3, const struct name_task *process, bool *no_memory)
{
    uint32_t number = 0;
    struct index_space space = {.cr3 = cr3};
    if (process) {
        space.pid = process->pid;
        memcpy(space.comm, process->comm, sizeof(process->comm));
    }
    pthread_mutex_lock(&spaces->lock);
    while (number < spaces->count && memcmp(&spaces->items[number], &space, sizeof(space)) != 0)
        number++;
    if (number == spaces->count) {
        void *items = spaces->items;
        struct index_space *place = list_add(&items, &spaces->count, &spaces->room, sizeof(*place));
        spaces->items = items;
        if (place)
            *place = space;
        else
            *no_memory = true;
    }
    pthread_mutex_unlock(&spaces->lock);
    return number;
}

bool space_set_add(struct space_set *set, uint32_t number)
{
    void *items = set->items;
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == number)
            return true;
    uint32_t *place = list_add(&items, &set->count, &set->room, sizeof(*place));
    set->items = items;
    if (place)
        *place = number;
    return place != NULL;
}
