/* Kind: shell */
/*
 * Commands from the receiver: what they do, and the answers. TraceEn is clear.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7): changes made while TraceEn is clear take effect when it is
 * set again.
 */
#include "serial/wire/command.h"
#include "base/log.h"
#include "base/msr.h"
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "pt/output/scheme.h"
#include "pt/rtit.h"
#include "serial/wire/sink_cut.h"

static const char ok[] = "ok";
static const char off[] = "nothing is traced: Intel PT is off";

static const char *command_pause(struct pt_engine *pt)
{
    if (pt->suspended)
        return "tracing is paused already";
    pt->suspended = true;
    if (pt->pause.on)
        pt_pause_change(pt, RECORD_GAP_COMMAND);
    else
        drain_suspend(pt);
    return ok;
}

static const char *command_resume(struct pt_engine *pt)
{
    if (!pt->suspended)
        return "no command has paused tracing";
    if (pt->awaits_start && pt->config.code_from_start)
        return "the trace begins at ExitBootServices: no code is recorded before";
    pt->suspended = false;
    return ok;
}

/* A trace that a TraceStop range or pt.branches= has ended starts again, and may be ended by them again. */
static void stopped_lift(struct pt_engine *pt)
{
    pt->pause.drain.snapshot.rtit_status &= ~RTIT_STATUS_STOPPED;
    if (!pt->pause.on)
        pt_register_write(pt, IA32_RTIT_STATUS, pt_register_status(pt) & ~(uint64_t)RTIT_STATUS_STOPPED);
}

/* Check the new configuration as a whole, as at the start, then apply it. Returns ok or the reason why it cannot be
 * applied, which may be in why, of size bytes. */
static const char *config_change(struct pt_engine *pt, const struct pt_options *config, char *why, size_t size)
{
    struct pt_cpuid cpuid;
    struct pt_setup setup;

    pt_cpuid_of(&cpuid, config);
    cpuid.rtit_ctl = 0; /* TraceEn, if set, is our own */
    if (pt_unsupported_option(why, size, &cpuid, config) > 0)
        return why;
    enum pt_refusal refusal = pt_options_resolve(&setup, &cpuid, config);
    if (refusal != PT_OK)
        return pt_refusal_text(refusal);
    if (!pt->pause.on)
        drain_poll(pt); /* the trace with the new configuration begins with a PSB+ */
    pt->config = *config;
    pt_setup_apply(pt, &setup);
    stopped_lift(pt);
    return ok;
}

static const char *command_set(struct pt_engine *pt, const char *text, char *why, size_t size)
{
    struct pt_options config = pt->config;

    if (!pt->parser || !pt->parser(&config, text, why, size))
        return why;
    return config_change(pt, &config, why, size);
}

static const char *command_perform(struct pt_engine *pt, const struct command *command, char *why, size_t size)
{
    if (command->opcode == COMMAND_STATUS)
        return ok;
    if (!pt->tracing)
        return off;
    switch (command->opcode) {
    case COMMAND_PAUSE:
        return command_pause(pt);
    case COMMAND_RESUME:
        return command_resume(pt);
    case COMMAND_SNAPSHOT:
        drain_all(pt);
        return ok;
    case COMMAND_SET:
        return command_set(pt, command->text, why, size);
    default:
        return "this version has no such command";
    }
}

static const char *state_name(const struct pt_engine *pt)
{
    if (!pt->tracing)
        return "off";
    if (pt->suspended)
        return "paused";
    return pt->pause.on ? "waiting" : "tracing";
}

/* Send the answer: the command's result, and the state after it. */
static void command_answer(struct pt_engine *pt, const struct command *command, const char *result)
{
    static const char *const policies[] = {
        [PT_POLICY_STALL] = "stall", [PT_POLICY_DROP] = "drop", [PT_POLICY_RING] = "ring"};
    const struct command_box *box = pt->sink->ops->commands(pt->sink); /* other CPUs may change its counters */
    const struct pt_totals *t = &pt->totals;
    size_t size = format_text(
        pt->text, sizeof(pt->text),
        "command %u\nopcode %s\nresult %s\nstate %s\npolicy %s\nrtit_ctl 0x%lx\ntrace_bytes %lu\nhanded_over %lu\n"
        "released %lu\nkept %lu\ngaps %lu\npauses %lu\npmis %lu\nstalls %lu\ncommands %lu\ncommands_repeated %lu\n"
        "commands_bad %lu\n",
        command->number, command_name(command->opcode), result, state_name(pt), policies[pt->policy], pt->rtit_ctl,
        pt->out.written, pt->submitted_end, pt->out.released, pt->out.written - pt->out.submitted, pt_gaps(t),
        t->pauses, t->pmis, t->stalls, box->taken, box->repeated, box->bad);
    pt_record(pt, RECORD_STATUS, pt->text, (uint32_t)size, NULL, 0);
}

/* The machine's state after the last command, for a CPU that comes late and finds commands overwritten. All CPUs
 * execute all commands in the same order, so any CPU's state after a command is the state of every CPU. */
static struct {
    struct lock lock;  /* guards all that follows */
    uint32_t done;     /* cursor: this state includes the commands before it */
    uint32_t snapshot; /* cursor after the last snapshot command */
    bool suspended;
    struct pt_options config;
} commanded;

/* A CPU that is not traced has no state to publish, even if others are traced. If any CPU is traced, CPU 0 is. */
static void command_publish(struct pt_engine *pt, const struct command *command)
{
    if (!pt->tracing && pt->cpu != 0)
        return;
    uint32_t ticket = lock_take(&commanded.lock);
    if ((int32_t)(pt->commands_done - commanded.done) > 0) {
        commanded.done = pt->commands_done;
        commanded.suspended = pt->suspended;
        commanded.config = pt->config;
        if (command->opcode == COMMAND_SNAPSHOT)
            commanded.snapshot = pt->commands_done;
    }
    lock_release(&commanded.lock, ticket);
    sink_command_done(pt->sink, pt->commands_done); /* now it may be overwritten */
}

/* Commands were overwritten while this CPU waited for a SIPI: adopt the state that they lead to. It does not answer
 * them. */
static void command_adopt(struct pt_engine *pt)
{
    char why[192];
    uint32_t ticket = lock_take(&commanded.lock);
    struct pt_options config = commanded.config;
    bool suspended = commanded.suspended, snapshot = (int32_t)(commanded.snapshot - pt->commands_done) > 0;
    pt->commands_done = commanded.done;
    lock_release(&commanded.lock, ticket);
    if (!pt->tracing)
        return;
    if (snapshot)
        drain_all(pt);
    config_change(pt, &config, why, sizeof(why)); /* it succeeded on other CPUs, whose PT has the same capabilities */
    if (suspended)
        command_pause(pt);
    else
        command_resume(pt);
}

/* Rare: not inlined into pt_enter. */
__attribute__((noinline)) void pt_commands(struct pt_engine *pt)
{
    enum command_found found;
    struct command command;
    char why[192];

    if (sink_is_cut(pt->sink)) {
        pt_channel_cut(pt);
        pt->command_pending = false;
        return;
    }
    if (pt->tracing && pt->awaits_start && !pt->suspended)
        command_pause(pt);
    while ((found = sink_command_at(pt->sink, pt->commands_done, &command)) != COMMAND_NONE) {
        if (found == COMMAND_MISSED) {
            command_adopt(pt);
            continue;
        }
        const char *result = command_perform(pt, &command, why, sizeof(why));
        pt->commands_done++;
        command_publish(pt, &command);
        command_answer(pt, &command, result);
    }
    pt->command_pending = pt->awaits_start && !pt->suspended; /* a CPU that was not traced yet is suspended later */
}

/* A CPU that has not run yet was not suspended, and need not be. */
static void start_reached(struct pt_engine *pt)
{
    if (pt->suspended)
        pt->suspended = pt->channel_cut;
    else
        pt->awaits_start = false;
}

void pt_trigger(struct pt_engine *pt)
{
    if (pt->awaits_start)
        start_reached(pt);
    else if (pt->tracing && pt->policy == PT_POLICY_RING)
        drain_all(pt);
}
