#include "decode/measure/ending.h"

#include <string.h>

/* Does the text have this in it? */
static bool has(struct record_text text, const char *what)
{
    return memmem(text.bytes, text.size, what, strlen(what)) != NULL;
}

size_t ending_log(struct record_text *lines, size_t count, const struct capture *capture)
{
    size_t found = 0;
    for (size_t i = capture->nr_records; i-- > 0 && found < count;) {
        const struct capture_record *record = &capture->records[i];
        if (record->header.kind == RECORD_LOG)
            lines[found++] = (struct record_text){(const char *)record->payload, record->header.length};
    }
    return found;
}

/* The log line that says that the machine is stopped, or a triple fault has reset it: vmx/cpu/fail_stop.c and
 * vmx/smp/power.c. false: there is none. */
static bool find_stop(struct ending *ending, const struct capture *capture)
{
    for (size_t i = capture->nr_records; i-- > 0;) {
        const struct capture_record *record = &capture->records[i];
        const struct record_text text = {(const char *)record->payload, record->header.length};
        if (record->header.kind != RECORD_LOG)
            continue;
        const bool triple = has(text, "guest triple fault");
        if (!triple && !has(text, "; the guest is stopped"))
            continue;
        ending->kind = triple ? ENDING_TRIPLE_FAULT : ENDING_STOPPED;
        ending->log = text;
        return true;
    }
    return false;
}

static bool sleeps(const struct capture *capture)
{
    uint64_t value;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (text_find_number(&value, capture->ends[cpu], "sleeps") && value)
            return true;
    return false;
}

/* The gap that a CPU's trace ends with. false: there is none. */
static bool has_gap_at_end(const struct capture *capture, uint32_t cause)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        struct record_gap gap;
        if (record->header.kind != RECORD_GAP || record->header.length < sizeof(gap))
            continue;
        memcpy(&gap, record->payload, sizeof(gap));
        const struct capture_trace *trace = &capture->cpus[record->header.cpu % CAPTURE_MAX_CPUS];
        if (gap.cause == cause && gap.at + gap.size >= trace->size)
            return true;
    }
    return false;
}

/* Functions of Linux and of others, in whose calls the machine goes down. */
static bool ends_machine(const char *symbol, enum ending_kind *kind)
{
    static const struct {
        const char *part;
        enum ending_kind kind;
    } parts[] = {{"power_off", ENDING_POWER_OFF}, {"poweroff", ENDING_POWER_OFF}, {"kernel_halt", ENDING_POWER_OFF},
                 {"restart", ENDING_RESET},       {"reboot", ENDING_RESET},       {"reset", ENDING_RESET}};
    for (size_t i = 0; symbol && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(symbol, parts[i].part)) {
            *kind = parts[i].kind;
            return true;
        }
    return false;
}

/* The innermost such function of any CPU: "reboot" of Linux calls kernel_power_off. */
static void find_function(struct ending *ending, const struct open_calls *calls)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS && !ending->function; cpu++) {
        const struct open_task *task = calls->cpus[cpu].task;
        for (size_t depth = task ? task->depth : 0; depth-- > 0;)
            if (ends_machine(task->calls[depth].name->symbol, &ending->kind)) {
                ending->function = task->calls[depth].name->shown;
                break;
            }
    }
}

struct ending ending_find(const struct capture *capture, const struct open_calls *calls)
{
    struct ending ending = {.kind = ENDING_DOWN};
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        ending.nr_cpus += capture->cpus[cpu].present;
        ending.nr_ended += capture->cpus[cpu].present && capture->ends[cpu].size > 0;
    }
    if (find_stop(&ending, capture))
        return ending;
    if (has_gap_at_end(capture, RECORD_GAP_CUT))
        ending.kind = ENDING_CHANNEL;
    else if (has_gap_at_end(capture, RECORD_GAP_WIRE))
        ending.kind = ENDING_WIRE;
    else if (!capture_ended(capture))
        ending.kind = ENDING_SILENCE;
    else if (sleeps(capture))
        ending.kind = ENDING_SLEEP;
    else
        find_function(&ending, calls);
    return ending;
}
