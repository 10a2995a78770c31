#include "decode/cli/gdb/unwind.h"

#include <string.h>

#include "decode/cli/text/error_text.h"
#include "pt/instruction/instruction.h"

/* The stacks of so much of a CPU's trace before and after the present instruction are kept. */
#define KEPT_BYTES ((uint64_t)1 << 20)

#define FRAME_SHIFT 5u /* three numbers */
#define FRAME_BYTES 24u
#define TASK_SHIFT 24u /* as many frames as a task can have */
#define MOST_FRAMES (1u << (TASK_SHIFT - FRAME_SHIFT))

/* The stack pointer of the function whose frame is so deep, from 1 on. Of a deeper frame: 0. */
static uint64_t pointer_of(uint32_t task, uint32_t depth)
{
    if (depth >= MOST_FRAMES)
        return 0;
    return UNWIND_NOW + ((uint64_t)task << TASK_SHIFT) + ((uint64_t)(MOST_FRAMES - depth) << FRAME_SHIFT);
}

/* --- the part of the trace whose stacks are kept --- */

/* A stretch in a direction from another one, with about KEPT_BYTES between them; or the first, or the end. */
static uint32_t far_from(const struct replay_cpu *cpu, uint32_t stretch, bool backward)
{
    const struct index_stretch *stretches = cpu->indexed->index.stretches;
    const uint64_t here = stretches[stretch].begin;
    if (backward) {
        while (stretch > cpu->first && here - stretches[stretch].begin < KEPT_BYTES)
            stretch--;
        return stretch;
    }
    do
        stretch++;
    while (stretch < cpu->end && stretches[stretch].begin - here < KEPT_BYTES);
    /* Which task runs at the end is known from what follows. */
    return stretch + 1 < cpu->end ? stretch + 2 : cpu->end;
}

static bool read_log(struct unwind *unwind, const struct replay_cpu *cpu, uint32_t first, uint32_t end)
{
    const struct index_stretch *stretches = cpu->indexed->index.stretches;
    struct capture *capture = cpu->indexed->capture;
    struct calls_run run = {.capture = capture, .cpu = CALLS_ALL_CPUS, .threads = unwind->threads};
    struct error error = {0};
    const bool last = end == cpu->end || stretches[end].tsc == 0;
    stack_log_free(&unwind->log);
    unwind->log.cpu = cpu->cpu;
    unwind->log.from = stretches[first].begin;
    unwind->log.to = last ? UINT64_MAX : stretches[end].begin;
    run.names = open_names(capture, unwind->names);
    bool good = run.names && calls_clock_read(&run.clock, capture, &error);
    const bool timed = good && !run.clock.by_branches;
    good = good && stack_log_read(&unwind->log, &run, timed ? stretches[first].tsc : 0,
                                  timed && !last ? stretches[end].tsc : UINT64_MAX, &error);
    if (!good && run.names)
        error_print(&error);
    if (run.names)
        names_close(run.names);
    return good;
}

/* Read the stacks around the present instruction, if they are not there. */
static void read_around(struct unwind *unwind, const struct replay_cpu *cpu)
{
    if (unwind->log.cpu == cpu->cpu && cpu->stretch >= unwind->first && cpu->stretch < unwind->end)
        return;
    const uint32_t first = far_from(cpu, cpu->stretch, true), end = far_from(cpu, cpu->stretch, false);
    if (!read_log(unwind, cpu, first, end))
        stack_log_free(&unwind->log);
    /* The log begins with the first transfer of its first stretch, and what runs at its end is not certain. After an
     * error it is empty, and the same is not tried again at once. */
    unwind->log.cpu = cpu->cpu;
    unwind->first = first < cpu->stretch && first > cpu->first ? first + 1 : first;
    unwind->end = end < cpu->end && end - 1 > cpu->stretch ? end - 1 : end;
}

/* --- from frames to what gdb is shown --- */

static size_t read_code(const struct replay_cpu *cpu, const struct stack_log_task *task, uint64_t address,
                        uint8_t bytes[INSTRUCTION_MAX_BYTES])
{
    const struct code_pages *pages = &cpu->indexed->traces[cpu->cpu].pages;
    const struct replay_item *now = replay_now(cpu);
    uint64_t space = now->cr3 == FLOW_CR3_UNKNOWN ? now->cr3 : code_pages_space(pages, now->cr3);
    if (!(address >> 63) && task->space != FLOW_CR3_UNKNOWN)
        space = task->space; /* with page-table isolation, the kernel's tables do not have the program's code */
    return code_pages_read(pages, space, now->at, address, bytes, INSTRUCTION_MAX_BYTES);
}

/* Where execution continues below a frame. What was interrupted continues there; what has called, after the call. */
static uint64_t continues_at(const struct replay_cpu *cpu, const struct stack_log_task *task,
                             const struct stack_log_frame *frame)
{
    uint8_t bytes[INSTRUCTION_MAX_BYTES];
    struct instruction instruction;
    if (frame->entry == STACK_INTERRUPT)
        return frame->site;
    const size_t size = read_code(cpu, task, frame->site, bytes);
    if (instruction_decode(&instruction, bytes, (uint32_t)size, INSTRUCTION_64) != INSTRUCTION_DECODED)
        return frame->entry == STACK_CALL ? 0 : frame->site;
    const bool calls = instruction.kind == INSTRUCTION_CALL_DIRECT || instruction.kind == INSTRUCTION_CALL_INDIRECT ||
                       instruction.kind == INSTRUCTION_FAR_CALL;
    return frame->site + (calls ? instruction.length : 0);
}

/* The frame of the function that was called, below those that it has jumped to. */
static const struct stack_log_frame *called(const struct stack_log *log, const struct stack_log_frame *frame)
{
    while (frame->entry == STACK_TAIL && frame->below)
        frame = &log->frames[frame->below];
    return frame;
}

static struct unwind_function describe(const struct unwind *unwind, const struct replay_cpu *cpu,
                                       const struct stack_log_task *task, const struct stack_log_frame *frame)
{
    struct unwind_function function = {
        .sp = pointer_of(task->number, frame->depth), .entry_pc = frame->to, .kind = frame->entry};
    if (!frame->below)
        return function;
    function.caller_pc = continues_at(cpu, task, frame);
    if (function.caller_pc)
        function.caller_sp = pointer_of(task->number, called(&unwind->log, &unwind->log.frames[frame->below])->depth);
    return function;
}

static const struct stack_log_entry *entry_now(struct unwind *unwind, const struct replay_cpu *cpu)
{
    read_around(unwind, cpu);
    const struct stacks_moment moment = {cpu->indexed->index.stretches[cpu->stretch].begin, replay_now(cpu)->taken};
    const struct stack_log_entry *entry = stack_log_at(&unwind->log, moment);
    return entry && entry->top ? entry : NULL;
}

struct unwind_function unwind_innermost(struct unwind *unwind, const struct replay_cpu *cpu)
{
    const struct stack_log_entry *entry = entry_now(unwind, cpu);
    if (!entry)
        return (struct unwind_function){0};
    const struct stack_log *log = &unwind->log;
    return describe(unwind, cpu, &log->tasks[entry->task], called(log, &log->frames[entry->top]));
}

/* The function with this stack pointer; sp is 0 if there is none. */
static struct unwind_function find(struct unwind *unwind, const struct replay_cpu *cpu, uint64_t sp)
{
    const struct stack_log_entry *entry = entry_now(unwind, cpu);
    const struct stack_log *log = &unwind->log;
    if (!entry)
        return (struct unwind_function){0};
    const struct stack_log_task *task = &log->tasks[entry->task];
    const struct stack_log_frame *frame = called(log, &log->frames[entry->top]);
    while (pointer_of(task->number, frame->depth) != sp && frame->below)
        frame = called(log, &log->frames[frame->below]);
    if (pointer_of(task->number, frame->depth) != sp)
        return (struct unwind_function){0};
    return describe(unwind, cpu, task, frame);
}

static void put(uint8_t *bytes, uint64_t number)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

size_t unwind_read(struct unwind *unwind, const struct replay_cpu *cpu, uint64_t address, uint8_t *bytes, size_t size)
{
    uint8_t memory[FRAME_BYTES];
    const size_t offset = address & ((1u << FRAME_SHIFT) - 1);
    const bool now = address - offset == UNWIND_NOW;
    const struct unwind_function function = now ? unwind_innermost(unwind, cpu) : find(unwind, cpu, address - offset);
    if (offset >= sizeof(memory) || (!now && !function.sp))
        return 0;
    put(memory, function.sp);
    put(memory + 8, function.caller_sp);
    put(memory + 16, function.caller_pc);
    size = size < sizeof(memory) - offset ? size : sizeof(memory) - offset;
    memcpy(bytes, memory + offset, size);
    return size;
}

void unwind_close(struct unwind *unwind)
{
    stack_log_free(&unwind->log);
}
