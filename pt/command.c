/* Kind: shell */
/*
 * Commands from the receiver: what they do, and the answers. Shell. TraceEn is clear.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7): what is changed while TraceEn is clear holds from its next
 * setting on.
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
    if (pt->held)
        return "tracing is paused already";
    pt->held = true;
    if (pt->pause.on)
        pt_pause_change(pt, RECORD_GAP_COMMAND);
    else
        drain_hold(pt);
    return ok;
}

static const char *command_resume(struct pt_engine *pt)
{
    if (!pt->held)
        return "no command has paused tracing";
    pt->held = false;
    return ok;
}

/* Whatever has ended the trace, a TraceStop range or so many branches, is counted and met anew. */
static void stopped_lift(struct pt_engine *pt)
{
    pt->pause.drain.snapshot.rtit_status &= ~RTIT_STATUS_STOPPED;
    if (!pt->pause.on)
        pt_register_write(pt, IA32_RTIT_STATUS, pt_register_status(pt) & ~(uint64_t)RTIT_STATUS_STOPPED);
}

/* Check the new configuration as a whole, as at the start, then write what differs. why: of size bytes. */
static const char *config_change(struct pt_engine *pt, const struct pt_options *config, char *why, size_t size)
{
    struct pt_cpuid cpuid;
    struct pt_setup setup;

    pt_cpuid_of(&cpuid, config);
    cpuid.rtit_ctl = 0; /* PT is in use by ourselves */
    if (pt_objection(why, size, &cpuid, config) > 0)
        return why;
    enum pt_refusal refusal = pt_options_resolve(&setup, &cpuid, config);
    if (refusal != PT_OK)
        return pt_refusal_text(refusal);
    if (!pt->pause.on)
        drain_poll(pt); /* what holds from here on begins with a PSB+ */
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
    if (pt->held)
        return "paused";
    return pt->pause.on ? "waiting" : "tracing";
}

/* The answer: what became of the command, and how things stand after it. */
static void command_answer(struct pt_engine *pt, const struct command *command, const char *result)
{
    static const char *const policies[] = {
        [PT_POLICY_STALL] = "stall", [PT_POLICY_DROP] = "drop", [PT_POLICY_RING] = "ring"};
    const struct command_box *box = pt->sink->ops->commands(pt->sink); /* counters: a moment's values */
    const struct pt_totals *t = &pt->totals;
    size_t size = format_text(
        pt->text, sizeof(pt->text),
        "command %u\nopcode %s\nresult %s\nstate %s\npolicy %s\nrtit_ctl 0x%lx\ntrace_bytes %lu\nhanded_over %lu\n"
        "released %lu\nkept %lu\ngaps %lu\npauses %lu\npmis %lu\nstalls %lu\ncommands %lu\ncommands_repeated %lu\n"
        "commands_bad %lu\n",
        command->number, command_name(command->opcode), result, state_name(pt), policies[pt->policy], pt->rtit_ctl,
        pt->out.written, pt->sent_end, pt->out.released, pt->out.written - pt->out.handed, pt_gaps(t), t->pauses,
        t->pmis, t->stalls, box->taken, box->repeated, box->bad);
    pt_record(pt, RECORD_STATUS, pt->text, (uint32_t)size, NULL, 0);
}

/* What the commands have made of tracing up to now, for a CPU that comes late and finds them overwritten. CPUs carry
 * all commands out in the same order, so that any CPU's state behind a command is every CPU's. */
static struct {
    struct lock lock;
    uint32_t done;     /* cursor: the commands before it are in what follows */
    uint32_t snapshot; /* cursor behind the last snapshot */
    bool held;
    struct pt_options config;
} commanded;

/* A CPU that is not traced, although others are, has no state to leave. CPU 0 is traced wherever one is. */
static void command_publish(struct pt_engine *pt, const struct command *command)
{
    if (!pt->tracing && pt->cpu != 0)
        return;
    uint32_t ticket = lock_take(&commanded.lock);
    if ((int32_t)(pt->commands_done - commanded.done) > 0) {
        commanded.done = pt->commands_done;
        commanded.held = pt->held;
        commanded.config = pt->config;
        if (command->opcode == COMMAND_SNAPSHOT)
            commanded.snapshot = pt->commands_done;
    }
    lock_release(&commanded.lock, ticket);
    sink_command_done(pt->sink, pt->commands_done); /* from here on it may be overwritten */
}

/* Commands were overwritten before this CPU, which waited for a SIPI, could carry them out: it does what they come to,
 * without an answer to each. */
static void command_adopt(struct pt_engine *pt)
{
    char why[192];
    uint32_t ticket = lock_take(&commanded.lock);
    struct pt_options config = commanded.config;
    bool held = commanded.held, snapshot = (int32_t)(commanded.snapshot - pt->commands_done) > 0;
    pt->commands_done = commanded.done;
    lock_release(&commanded.lock, ticket);
    if (!pt->tracing)
        return;
    if (snapshot)
        drain_all(pt);
    config_change(pt, &config, why, sizeof(why)); /* other CPUs could do it, and CPUs differ in nothing that matters */
    if (held)
        command_pause(pt);
    else
        command_resume(pt);
}

/* Seldom: no part of it belongs into pt_enter. */
__attribute__((noinline)) void pt_commands(struct pt_engine *pt)
{
    enum command_found found;
    struct command command;
    char why[192];

    if (sink_is_cut(pt->sink)) {
        pt_cut(pt);
        pt->command_waits = false;
        return;
    }
    if (pt->tracing && pt->awaits && !pt->held)
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
    pt->command_waits = pt->awaits && !pt->held; /* not before there is something to hold */
}

/* A CPU that has not run yet holds nothing, and need not. */
static void start_reached(struct pt_engine *pt)
{
    if (pt->held)
        pt->held = pt->cut;
    else
        pt->awaits = false;
}

void pt_trigger(struct pt_engine *pt)
{
    if (pt->awaits)
        start_reached(pt);
    else if (pt->tracing && pt->policy == PT_POLICY_RING)
        drain_all(pt);
}
