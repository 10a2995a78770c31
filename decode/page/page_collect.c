/* One pass through the stacks collects the calls, the call tree, and when each function ran. */
#include <stdlib.h>
#include <string.h>

#include "decode/page/page_state.h"

/* The listeners: slices, profile, and the page itself. */
struct both {
    struct page *page;
    struct stack_hooks slices, profile;
    struct slices_cpu slices_cpu;
    struct profile_cpu profile_cpu;
};

struct listener {
    struct page *page;
    struct both cpus[CAPTURE_MAX_CPUS];
    unsigned nr_cpus;
};

static bool make_room(struct page *page, uint32_t number)
{
    if (number < page->ran_room)
        return true;
    const size_t room = 2 * (size_t)number + 1024;
    struct page_ran *more = realloc(page->ran, room * sizeof(*more));
    if (!more) {
        page->no_memory = true;
        return false;
    }
    memset(more + page->ran_room, 0, (room - page->ran_room) * sizeof(*more));
    page->ran = more;
    page->ran_room = room;
    return true;
}

/* The profile stores its number in task->user. */
static void note_process(struct page *page, const struct stack_task *task)
{
    if (task->number >= page->processes_room) {
        const size_t room = 2 * (size_t)task->number + 64;
        uint32_t *more = realloc(page->processes, room * sizeof(*more));
        if (!more) {
            page->no_memory = true;
            return;
        }
        memset(more + page->processes_room, 0, (room - page->processes_room) * sizeof(*more));
        page->processes = more;
        page->processes_room = room;
    }
    page->processes[task->number] = (uint32_t)task->user;
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct both *both = context;
    const uint32_t number = task->frames[task->depth - 1].name->number;
    if (make_room(both->page, number)) {
        struct page_ran *ran = &both->page->ran[number];
        ran->first = ran->last ? ran->first : tsc;
        ran->last = tsc ? tsc : 1;
    }
    both->slices.enter(both->slices.context, task, tsc);
    both->profile.enter(both->profile.context, task, tsc);
    note_process(both->page, task);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both *both = context;
    both->slices.leave(both->slices.context, task, tsc);
    both->profile.leave(both->profile.context, task, tsc);
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    const struct both *both = context;
    both->slices.spend(both->slices.context, task, branches, tsc);
    both->profile.spend(both->profile.context, task, branches, tsc);
}

static void end_task(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both *both = context;
    both->slices.end(both->slices.context, task, tsc);
    both->profile.end(both->profile.context, task, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both *both = context;
    both->slices.run(both->slices.context, task, tsc);
    both->profile.run(both->profile.context, task, tsc);
}

static void lost(void *context, uint64_t tsc)
{
    const struct both *both = context;
    both->slices.lost(both->slices.context, tsc);
    both->profile.lost(both->profile.context, tsc);
}

static void skip(void *context, uint64_t tsc)
{
    const struct both *both = context;
    both->profile.skip(both->profile.context, tsc);
}

static struct stack_hooks begin_cpu(void *context, uint16_t cpu)
{
    struct listener *listener = context;
    struct both *both = &listener->cpus[listener->nr_cpus++];
    both->page = listener->page;
    both->slices = slices_hooks(&both->slices_cpu, &listener->page->slices, cpu);
    both->profile = profile_hooks(&both->profile_cpu, &listener->page->profile);
    return (struct stack_hooks){enter, leave, spend, run, lost, both, end_task, skip, NULL};
}

static void end(void *context)
{
    struct listener *listener = context;
    for (unsigned i = 0; i < listener->nr_cpus; i++)
        slices_end_cpu(&listener->cpus[i].slices_cpu);
    slices_end(&listener->page->slices);
}

bool page_collect(struct page *page, struct error *error)
{
    struct listener *own = calloc(1, sizeof(*own));
    if (!own || !profile_init(&page->profile, page->run->names)) {
        free(own);
        return error_set(error, ERROR_MEMORY, 0, "the page");
    }
    own->page = page;
    const struct calls_listener listener = {.begin = begin_cpu, .end = end, .context = own};
    const bool good = calls_collect(page->run, &listener, error);
    free(own);
    /* Make room for each name. */
    const size_t names = names_count(page->run->names);
    if (good && names > 0)
        make_room(page, (uint32_t)names - 1);
    return good && (!(page->no_memory || page->slices.no_memory || page->profile.no_memory) ||
                    error_set(error, ERROR_MEMORY, 0, "the page"));
}
