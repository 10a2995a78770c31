#include "tests/judge/text/ptxed_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "decode/engine/flow_input.h"
#include "decode/report/cause_text.h"

/* A line that is being written. */
struct line {
    char *text;
    size_t used;
};

static void put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line->text + line->used, PTXED_LINE_MAX - line->used, format, args);
    va_end(args);
    if (length > 0)
        line->used += (size_t)length;
    if (line->used >= PTXED_LINE_MAX)
        line->used = PTXED_LINE_MAX - 1;
}

static void put_ip(struct line *line, const char *name, uint64_t ip)
{
    put(line, ", %s: %016" PRIx64, name, ip);
}

/* libipt's words. The product has the same ones for the other errors that libipt knows. */
static const char *error_word(const struct flow_event *event)
{
    const enum flow_error error = (enum flow_error)event->error;
    switch (error) {
    case FLOW_ERROR_BOUNDARY:
        return event->psb_taken ? "trace stream does not match query" : "bad status update";
    case FLOW_ERROR_LOOP:
        return "trace stream does not match query";
    case FLOW_ERROR_IMAGE:
        return "bad image";
    case FLOW_ERROR_RETURN:
        return event->type ? "bad compressed return" : flow_error_text(error);
    case FLOW_ERROR_RUN_IN:
        return "unknown packet";
    case FLOW_ERROR_LEFT_OVER:
        return "unexpected packet context";
    case FLOW_ERROR_EVENT_TRACE:
        return "not supported";
    case FLOW_ERROR_CUT:
        return "reached end of trace stream";
    case FLOW_ERROR_NO_PSB:
    case FLOW_ERROR_DISAGREE:
        return "internal error";
    default:
        return flow_error_text(error);
    }
}

/* The manual has HW of PWRE in bit 7; libipt reads and writes it in bit 3, which is reserved. */
#define PWRE_HW 0x88u

static void put_power(struct line *line, const struct flow_event *event)
{
    const uint64_t value = event->value;
    if (event->kind == FLOW_EVENT_MWAIT)
        put(line, "mwait %" PRIx64 " %" PRIx64, value & 0xff, value >> 32 & 3);
    else if (event->kind == FLOW_EVENT_PWRE)
        put(line, "pwre c%u.%u%s", (unsigned)((value >> 12) + 1) & 15, (unsigned)((value >> 8) + 1) & 15,
            value & PWRE_HW ? " hw" : "");
    else
        put(line, "pwrx %s%s%sc%u (c%u)", value & 0x100 ? "int: " : "", value & 0x400 ? "st: " : "",
            value & 0x800 ? "hw: " : "", (unsigned)((value >> 4) + 1) & 15, (unsigned)(value + 1) & 15);
}

/* NULL: a type of later editions. */
static const char *cfe_word(unsigned type)
{
    static const char *const words[] = {NULL,    "interrupt", "iret",   "smi",    "rsm",      "sipi",
                                        "init",  "vmentry",   "vmexit", "vmexit", "shutdown", NULL,
                                        "uintr", "uiret",     "swintr", "syscall"};
    return type < sizeof(words) / sizeof(words[0]) ? words[type] : NULL;
}

/* Control flow events of Event Trace. */
static void put_cfe(struct line *line, const struct flow_event *event)
{
    enum { INTR = 1, SIPI = 5, VM_EXIT_INTR = 9, UINTR = 12, SWINTR = 14 };
    enum { CR2, VMXQ, VMXR };
    const unsigned type = event->type;
    put(line, "%s", cfe_word(type));
    if (type == INTR || type == UINTR || type == SWINTR)
        put(line, " %" PRIu64, event->value);
    if (type == SIPI)
        put(line, ": %" PRIx64, event->value);
    if (type == VM_EXIT_INTR)
        put(line, ", intr: %" PRIu64, event->value);
    if (event->data_known & 1u << CR2)
        put_ip(line, "cr2", event->data[CR2]);
    if (event->data_known & 1u << VMXR)
        put_ip(line, "vmxr", event->data[VMXR]);
    if (event->data_known & 1u << VMXQ)
        put_ip(line, "vmxq", event->data[VMXQ]);
}

static void put_trig(struct line *line, const struct flow_event *event, const struct ptxed_options *options)
{
    put(line, "trig %02" PRIx64 "%s", event->value, event->flag ? ", mult" : "");
    if (options->event_ip && event->ip_known)
        put_ip(line, "ip", event->ip);
    if (event->icnt)
        put(line, ", icnt: %u", event->icnt);
}

static void put_what(struct line *line, const struct flow_event *event)
{
    static const char *const modes[] = {"16-bit", "32-bit", "64-bit"};
    static const char *const tsx[] = {"committed", "begin transaction", "aborted"};
    switch (event->kind) {
    case FLOW_EVENT_ENABLED:
        put(line, "%s", event->flag ? "resumed" : "enabled");
        break;
    case FLOW_EVENT_DISABLED:
    case FLOW_EVENT_LEFT:
        put(line, "disabled");
        break;
    case FLOW_EVENT_INTERRUPT:
        put(line, "interrupt");
        break;
    case FLOW_EVENT_PAGING:
        put(line, "paging, cr3: %016" PRIx64 "%s", event->value, event->flag ? ", nr" : "");
        break;
    case FLOW_EVENT_VMCS:
        put(line, "vmcs, base: %016" PRIx64, event->value);
        break;
    case FLOW_EVENT_OVERFLOW:
        put(line, "overflow");
        break;
    case FLOW_EVENT_MODE:
        put(line, "exec mode: %s", modes[event->value % 3]);
        break;
    case FLOW_EVENT_TSX:
        put(line, "%s", tsx[event->value % 3]);
        break;
    case FLOW_EVENT_STOP:
        put(line, "stopped");
        break;
    case FLOW_EVENT_EXSTOP:
        put(line, "exstop");
        break;
    case FLOW_EVENT_PTWRITE:
        put(line, "ptwrite: %" PRIx64, event->value);
        break;
    case FLOW_EVENT_CBR:
        put(line, "cbr: %" PRIx64, event->value);
        break;
    case FLOW_EVENT_MNT:
        put(line, "mnt: %" PRIx64, event->value);
        break;
    case FLOW_EVENT_IF:
        put(line, "interrupts %s", event->value ? "enabled" : "disabled");
        break;
    case FLOW_EVENT_CFE:
        put_cfe(line, event);
        break;
    case FLOW_EVENT_TICK:
        put(line, "tick");
        break;
    case FLOW_EVENT_END:
        put(line, "end of trace");
        break;
    default:
        put_power(line, event);
    }
}

/* The event's IPs, as far as ptxed prints them. */
static void put_where(struct line *line, const struct flow_event *event)
{
    switch (event->kind) {
    case FLOW_EVENT_LEFT:
        put_ip(line, "at", event->from);
        break;
    case FLOW_EVENT_INTERRUPT:
        put_ip(line, "from", event->from);
        if (event->ip_known)
            put_ip(line, "to", event->ip);
        return;
    case FLOW_EVENT_PTWRITE:
        if (!event->flag)
            return;
        break;
    default:
        break;
    }
    if (event->ip_known)
        put_ip(line, "ip", event->ip);
}

static bool is_shown(const struct flow_event *event, const struct ptxed_options *options)
{
    if (event->kind == FLOW_EVENT_CFE && !cfe_word(event->type))
        return false;
    if (event->kind == FLOW_EVENT_PSB)
        return false;
    if (event->kind == FLOW_EVENT_IF)
        return options->event_iflags && event->flag;
    return event->kind != FLOW_EVENT_TSX || !event->flag;
}

size_t ptxed_event_line(char *text, const struct flow_event *event, const struct ptxed_options *options)
{
    struct line line = {text, 0};
    text[0] = '\0';
    if (!is_shown(event, options))
        return 0;
    put(&line, "[");
    if (event->kind == FLOW_EVENT_ERROR) {
        put(&line, "%" PRIx64 ", %" PRIx64 ": %serror: %s]\n", event->value, event->ip,
            event->flag    ? "sync "
            : event->again ? "resync "
                           : "",
            error_word(event));
        return line.used;
    }
    if (options->event_time && event->tsc && event->kind != FLOW_EVENT_END)
        put(&line, "%016" PRIx64 "  ", event->tsc);
    if (event->kind == FLOW_EVENT_TRIG)
        put_trig(&line, event, options);
    else
        put_what(&line, event);
    if (options->event_ip && event->kind != FLOW_EVENT_TRIG)
        put_where(&line, event);
    put(&line, "]\n");
    return line.used;
}

size_t ptxed_address_line(char *text, uint64_t ip, bool speculative)
{
    struct line line = {text, 0};
    put(&line, "%s%016" PRIx64 "\n", speculative ? "? " : "", ip);
    return line.used;
}
