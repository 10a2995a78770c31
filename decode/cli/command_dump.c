/* undertrace dump: the packets of a trace, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/capture/capture_check.h"
#include "decode/capture/psb.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/report/dump_line.h"

static const char usage[] =
    "usage: undertrace dump CAPTURE [options]\n"
    "\n"
    "Prints the packets from the first PSB on, one a line, as libipt's ptdump does.\n"
    "\n"
    "  --cpu N      of this CPU (default 0)\n"
    "  --from OFF   packets that start at trace offset OFF or behind it\n"
    "  --to OFF     packets that start before OFF\n"
    "  --no-pad     leave PADs out\n"
    "\n"
    "Offsets are decimal, hexadecimal behind 0x, or the 16 hexadecimal digits that dump prints.\n"
    "\n"
    "Exit status: 0 done, 1 an error, 2 there were bytes that are no packet, or damaged ones.\n";

struct arguments {
    const char *capture;
    uint64_t cpu, from, to;
    bool no_pad;
};

/* Print from offset at on until a packet cannot be read. Returns its offset, or the end. */
static uint64_t dump_run(const struct capture_trace *trace, uint64_t at, const struct arguments *a)
{
    char line[DUMP_LINE_MAX];
    while (at < trace->size && at < a->to) {
        struct packet packet;
        int size = packet_parse(&packet, trace->bytes + at, (size_t)(trace->size - at));
        if (size == PT_PARSE_TRUNCATED)
            return trace->size;
        if (size < 0) {
            printf("[%" PRIx64 ": error decoding packet: unknown opcode]\n", at);
            return at;
        }
        if (at >= a->from && !(a->no_pad && packet.kind == PT_PACKET_PAD))
            fwrite(line, 1, dump_line(line, at, &packet), stdout);
        at += (uint64_t)size;
    }
    return at;
}

static int dump_trace(const struct capture_trace *trace, const struct arguments *a)
{
    uint64_t at = psb_last(trace->bytes, trace->size, a->from);
    if (at == PSB_NONE)
        at = psb_next(trace->bytes, trace->size, 0);
    if (at == PSB_NONE) {
        message_say("%s/cpu%" PRIu64 ".pt: no PSB in %" PRIu64 " bytes: nothing can be read", a->capture, a->cpu,
                    trace->size);
        return 1;
    }
    int errors = 0;
    while ((at = dump_run(trace, at, a)) < trace->size && at < a->to) {
        errors++;
        at = psb_next(trace->bytes, trace->size, at + 1);
        if (at == PSB_NONE)
            break;
    }
    if (errors)
        message_say("%s/cpu%" PRIu64 ".pt: %d places that are no packet", a->capture, a->cpu, errors);
    return errors ? 2 : 0;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       {"from", ARGUMENT_OFFSET, &a->from, 0},
                                       {"to", ARGUMENT_OFFSET, &a->to, 0},
                                       {"no-pad", ARGUMENT_FLAG, &a->no_pad, 0}};
    const struct syntax syntax = {"dump", usage, options, sizeof(options) / sizeof(options[0]), 1};
    *a = (struct arguments){.to = UINT64_MAX};
    return arguments_parse(&syntax, argc, argv, &a->capture);
}

int command_dump(int argc, char **argv)
{
    struct arguments a;
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    struct error error = {0};
    capture_check_trace(capture, (unsigned)a.cpu, a.from, a.to);
    bool damaged = say_damages(capture);
    const struct capture_trace *trace = capture_trace(capture, a.cpu, &error);
    if (!trace)
        error_say(&error);
    status = trace ? dump_trace(trace, &a) : 1;
    capture_close(capture);
    return status == 0 && damaged ? 2 : status;
}
