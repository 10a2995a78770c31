/*
 * Commands from the receiver: what they do, and the answers. Shell. TraceEn is clear.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7): what is changed while TraceEn is clear holds from its next
 * setting on.
 */
#include "serial/command.h"
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "pt/scheme.h"
#include "serial/log.h"

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

/* Check the new configuration as a whole, as at the start, then write what differs. why: of size bytes. */
static const char *command_set(struct pt_engine *pt, const char *text, char *why, size_t size)
{
    struct pt_options config = pt->config;
    struct pt_cpuid cpuid;
    struct pt_setup setup;

    if (!pt->parser || !pt->parser(&config, text, why, size))
        return why;
    pt_cpuid_read(&cpuid);
    cpuid.rtit_ctl = 0; /* PT is in use by ourselves */
    if (pt_objection(why, size, &cpuid, &config) > 0)
        return why;
    enum pt_refusal refusal = pt_options_resolve(&setup, &cpuid, &config);
    if (refusal != PT_OK)
        return pt_refusal_text(refusal);
    if (!pt->pause.on)
        drain_poll(pt); /* what holds from here on begins with a PSB+ */
    pt->config = config;
    pt_setup_apply(pt, &setup);
    return ok;
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
    const struct command_box *box = pt->sink->ops->commands(pt->sink);
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

void pt_commands(struct pt_engine *pt)
{
    struct command_box *box = pt->sink->ops->commands(pt->sink);
    struct command command;
    char why[192];

    while (box && command_next(box, &command)) {
        const char *result = command_perform(pt, &command, why, sizeof(why));
        command_answer(pt, &command, result);
    }
    pt->command_waits = false;
}

void pt_trigger(struct pt_engine *pt)
{
    if (pt->tracing && pt->policy == PT_POLICY_RING)
        drain_all(pt);
}
