#include "decode/cli/gdb/steps.h"

#include <string.h>

#define STEPS_BETWEEN_POLLS 4096u

enum replay_stop session_run(struct session *session, bool backward)
{
    const struct replay_breaks breaks = {session->breaks, session->nr_breaks, rsp_interrupted, &session->rsp};
    return replay_find(session_cpu(session), &breaks, backward);
}

static bool is_break(const struct session *session, uint64_t ip)
{
    for (size_t i = 0; i < session->nr_breaks; i++)
        if (session->breaks[i] == ip)
            return true;
    return false;
}

/* To an instruction of a function. Other calls of the function, and other tasks, may execute the same instruction. */
static enum replay_stop run_to(struct session *session, uint64_t pc, uint64_t sp, bool backward)
{
    uint64_t addresses[SESSION_MOST_BREAKS + 1];
    const struct replay_breaks breaks = {addresses, session->nr_breaks + 1, rsp_interrupted, &session->rsp};
    struct replay_cpu *cpu = session_cpu(session);
    memcpy(addresses, session->breaks, session->nr_breaks * sizeof(addresses[0]));
    addresses[session->nr_breaks] = pc;
    for (;;) {
        const enum replay_stop stop = replay_find(cpu, &breaks, backward);
        if (stop != REPLAY_HIT)
            return stop;
        if (replay_now(cpu)->ip == pc && unwind_innermost(&session->unwind, cpu).sp == sp)
            return REPLAY_MOVED;
        if (is_break(session, replay_now(cpu)->ip))
            return REPLAY_HIT;
    }
}

/* After a step forwards out of a function: if it led to the handler of an interrupt, to where that returns. */
static enum replay_stop pass_handler(struct session *session, uint64_t sp)
{
    const struct unwind_function handler = unwind_innermost(&session->unwind, session_cpu(session));
    const uint64_t ip = replay_now(session_cpu(session))->ip;
    if (handler.kind != STACK_INTERRUPT || ip != handler.entry_pc || handler.sp == sp || !handler.caller_sp)
        return REPLAY_MOVED;
    return is_break(session, ip) ? REPLAY_HIT : run_to(session, handler.caller_pc, handler.caller_sp, false);
}

/* Is the present instruction the last one of a handler that returned to this instruction of a function? */
static bool is_handler_of(const struct unwind_function *handler, uint64_t pc, uint64_t sp)
{
    return handler->kind == STACK_INTERRUPT && handler->sp && handler->caller_sp == sp && handler->caller_pc == pc;
}

/* After a step backwards, from an instruction of a function: to before what interrupted it. */
static enum replay_stop pass_handlers_back(struct session *session, uint64_t pc, uint64_t sp)
{
    struct replay_cpu *cpu = session_cpu(session);
    enum replay_stop stop = REPLAY_MOVED;
    struct unwind_function handler = unwind_innermost(&session->unwind, cpu);
    while (stop == REPLAY_MOVED && is_handler_of(&handler, pc, sp)) {
        if (replay_now(cpu)->ip != handler.entry_pc)
            stop = run_to(session, handler.entry_pc, handler.sp, true);
        if (stop == REPLAY_MOVED)
            stop = replay_step(cpu, true);
        handler = unwind_innermost(&session->unwind, cpu);
    }
    return stop;
}

enum replay_stop session_step(struct session *session, bool backward)
{
    struct replay_cpu *cpu = session_cpu(session);
    if (!session->over)
        return replay_step(cpu, backward);
    const uint64_t pc = replay_now(cpu)->ip;
    const uint64_t sp = unwind_innermost(&session->unwind, cpu).sp;
    const enum replay_stop stop = replay_step(cpu, backward);
    if (stop != REPLAY_MOVED)
        return stop;
    return backward ? pass_handlers_back(session, pc, sp) : pass_handler(session, sp);
}

enum replay_stop session_step_range(struct session *session, uint64_t begin, uint64_t end)
{
    const struct replay_cpu *cpu = session_cpu(session);
    const uint64_t sp = session->over ? unwind_innermost(&session->unwind, cpu).sp : 0;
    for (unsigned steps = 1;; steps++) {
        const uint32_t stretch = cpu->stretch, taken = replay_now(cpu)->taken;
        const enum replay_stop stop = session_step(session, false);
        const uint64_t ip = replay_now(cpu)->ip;
        if (stop != REPLAY_MOVED || ip < begin || ip >= end)
            return stop;
        if (is_break(session, ip))
            return REPLAY_HIT;
        /* Only a branch leads to another function, or to another call of the same one. */
        if (session->over && (cpu->stretch != stretch || replay_now(cpu)->taken != taken) &&
            unwind_innermost(&session->unwind, cpu).sp != sp)
            return stop;
        if (steps % STEPS_BETWEEN_POLLS == 0 && rsp_interrupted(&session->rsp))
            return REPLAY_INTERRUPTED;
    }
}
