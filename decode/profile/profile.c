#include "decode/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "decode/names/symbol_match.h"

const struct profile_mark_symbol profile_mark_symbols[PROFILE_NR_MARK_SYMBOLS] = {{"start_kernel", PROFILE_START},
                                                                                  {"kernel_init", PROFILE_INIT},
                                                                                  {"kernel_power_off", PROFILE_END},
                                                                                  {"kernel_restart", PROFILE_END},
                                                                                  {"kernel_halt", PROFILE_END}};

bool profile_init(struct profile *profile, struct names *names)
{
    *profile = (struct profile){.room = 4096, .nr_nodes = 1, .size = 16384, .names = names, .nr_processes = 1};
    profile->processes = calloc(1, sizeof(*profile->processes));
    profile->nodes = calloc(profile->room, sizeof(*profile->nodes));
    profile->places = calloc(profile->size, sizeof(*profile->places));
    return profile->nodes && profile->places && profile->processes;
}

void profile_free(struct profile *profile)
{
    free(profile->nodes);
    free(profile->processes);
    free(profile->places);
    *profile = (struct profile){0};
}

static size_t place_of(const struct profile *profile, uint32_t parent, const struct name *name)
{
    const uint64_t mixed = ((uint64_t)parent << 32 ^ name->number) * 0x9e3779b97f4a7c15ull;
    size_t at = (size_t)(mixed >> 24) & (profile->size - 1);
    for (uint32_t node; (node = profile->places[at]) != 0; at = (at + 1) & (profile->size - 1))
        if (profile->nodes[node].parent == parent && profile->nodes[node].name == name)
            break;
    return at;
}

static bool grow_nodes(struct profile *profile)
{
    if (profile->nr_nodes < profile->room)
        return true;
    struct profile_node *more =
        profile->room < UINT32_MAX / 2 ? realloc(profile->nodes, 2 * profile->room * sizeof(*more)) : NULL;
    if (!more)
        return false;
    profile->nodes = more;
    profile->room *= 2;
    return true;
}

static bool grow_places(struct profile *profile)
{
    if (2 * profile->nr_nodes < profile->size)
        return true;
    uint32_t *more = calloc(2 * profile->size, sizeof(*more));
    if (!more)
        return false;
    free(profile->places);
    profile->places = more;
    profile->size *= 2;
    for (uint32_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name)
            profile->places[place_of(profile, profile->nodes[i].parent, profile->nodes[i].name)] = i;
    return true;
}

/* A new node. 0: no memory. */
static uint32_t add_node(struct profile *profile, uint32_t parent, const struct name *name, enum stack_entry entry)
{
    if (!grow_nodes(profile) || !grow_places(profile)) {
        profile->no_memory = true;
        return 0;
    }
    const uint32_t node = (uint32_t)profile->nr_nodes++;
    profile->nodes[node] = (struct profile_node){
        .name = name, .parent = parent, .sibling = parent ? profile->nodes[parent].child : 0, .entry = entry};
    if (parent)
        profile->nodes[parent].child = node;
    if (name)
        profile->places[place_of(profile, parent, name)] = node;
    return node;
}

static uint32_t child_of(struct profile *profile, uint32_t parent, const struct stack_frame *frame)
{
    const uint32_t node = profile->places[place_of(profile, parent, frame->name)];
    return node ? node : add_node(profile, parent, frame->name, frame->entry);
}

/* The process of a space. When no task is left in it, a later use of the same CR3 is another process. All kernel
 * threads share one. 0: no memory. */
static size_t process_of(struct profile *profile, uint64_t space)
{
    for (size_t i = profile->nr_processes; i-- > 1;)
        if (profile->processes[i].space == space && (profile->processes[i].tasks > 0 || space == FLOW_CR3_UNKNOWN))
            return i;
    struct profile_process *more = realloc(profile->processes, (profile->nr_processes + 1) * sizeof(*more));
    if (more)
        profile->processes = more;
    const uint32_t root = more ? add_node(profile, 0, NULL, STACK_BASE) : 0;
    profile->no_memory |= !root;
    if (!root)
        return 0;
    profile->processes[profile->nr_processes] = (struct profile_process){.space = space, .root = root};
    return profile->nr_processes++;
}

/* The task has left its process. */
static void leave_process(struct profile *profile, struct stack_task *task)
{
    struct profile_process *process = &profile->processes[task->user];
    const bool known = process->space != FLOW_CR3_UNKNOWN;
    const char *name = known ? names_process(profile->names, task->pages, process->space, task->at) : NULL;
    const struct name_task *is = known ? names_task(profile->names, task->pages, process->space, task->at) : NULL;
    if (name)
        process->name = name;
    if (is)
        process->task = is;
    if (process->tasks > 0)
        process->tasks--;
    task->user = 0;
}

/* The space of the task has changed: the task is new, or it is in user mode for the first time, or it has called
 * execve. Its frames belong to another root from here on. */
static void enter_process(struct profile *profile, struct stack_task *task, size_t depth)
{
    if (task->user)
        leave_process(profile, task);
    task->user = process_of(profile, task->space);
    struct profile_process *process = &profile->processes[task->user];
    process->tasks++;
    uint32_t node = process->root;
    for (size_t i = 0; i < depth && node; i++)
        node = task->frames[i].user = child_of(profile, node, &task->frames[i]);
}

static void set_mark(struct profile *profile, enum profile_mark mark, uint64_t tsc)
{
    if (!profile->marks[mark].known)
        profile->marks[mark] = (struct profile_marked){true, tsc, profile->branches};
}

/* A function is entered by a new path: set the marks that belong to it. */
static void set_marks(struct profile *profile, const struct stack_frame *frame, uint64_t tsc)
{
    if (frame->name->begin >> 63)
        set_mark(profile, PROFILE_KERNEL, tsc);
    for (size_t i = 0; i < PROFILE_NR_MARK_SYMBOLS; i++)
        if (symbol_is(frame->name->symbol, profile_mark_symbols[i].symbol))
            set_mark(profile, profile_mark_symbols[i].mark, tsc);
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct profile *profile = ((struct profile_cpu *)context)->profile;
    struct stack_frame *frame = &task->frames[task->depth - 1];
    if (!task->user || profile->processes[task->user].space != task->space) {
        enter_process(profile, task, task->depth - 1);
        if (task->space != FLOW_CR3_UNKNOWN)
            set_mark(profile, PROFILE_USER, tsc);
    }
    const uint32_t parent = task->depth > 1 ? task->frames[task->depth - 2].user : profile->processes[task->user].root;
    const size_t before = profile->nr_nodes;
    frame->user = parent ? child_of(profile, parent, frame) : 0;
    profile->nodes[frame->user].calls++;
    if (profile->nr_nodes > before)
        set_marks(profile, frame, tsc);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)context;
    (void)task;
    (void)tsc;
}

/* Time that has passed since the last call. */
static uint64_t passed(struct profile_cpu *cpu, uint64_t tsc)
{
    struct profile *profile = cpu->profile;
    const uint64_t ticks = cpu->tsc && tsc > cpu->tsc ? tsc - cpu->tsc : 0;
    if (tsc && (!profile->first_tsc || tsc < profile->first_tsc))
        profile->first_tsc = tsc;
    if (tsc > profile->last_tsc)
        profile->last_tsc = tsc;
    cpu->tsc = tsc;
    return ticks;
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    struct profile_cpu *cpu = context;
    struct profile *profile = cpu->profile;
    const uint64_t ticks = passed(cpu, tsc);
    const bool known = task && task->depth > 0 && task->user && !cpu->lost;
    cpu->lost = false;
    profile->branches += branches;
    if (known) {
        struct profile_node *node = &profile->nodes[task->frames[task->depth - 1].user];
        struct profile_process *process = &profile->processes[task->user];
        node->branches += branches;
        node->ticks += ticks;
        process->begin_tsc = process->begin_tsc ? process->begin_tsc : tsc;
        process->end_tsc = tsc;
    } else {
        profile->lost_branches += branches;
        profile->lost_ticks += ticks;
    }
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)context;
    (void)task;
    (void)tsc;
}

/* A gap: what was executed up to the next branch in the trace is attributed to no function. */
static void lost(void *context, uint64_t tsc)
{
    struct profile_cpu *cpu = context;
    (void)tsc;
    cpu->lost = true;
}

static void end(void *context, struct stack_task *task, uint64_t tsc)
{
    struct profile_cpu *cpu = context;
    (void)tsc;
    if (task->user)
        leave_process(cpu->profile, task);
}

static void skip(void *context, uint64_t tsc)
{
    passed(context, tsc);
}

struct stack_hooks profile_hooks(struct profile_cpu *cpu, struct profile *profile)
{
    *cpu = (struct profile_cpu){.profile = profile};
    return (struct stack_hooks){enter, leave, spend, run, lost, cpu, end, skip, NULL};
}
