/* undertrace dump: the packets of a trace, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/capture/capture_check.h"
#include "decode/capture/gaps.h"
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
    "Prints the packets from the first PSB on, one a line, as libipt's ptdump does. Gaps of\n"
    "a known size are a line each, and reading goes on at the next PSB behind them.\n"
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

/* Print from offset at on, up to end, until a packet cannot be read. Returns its offset, or end. PSBs are found byte by
 * byte: what reaches into one is no packet. */
static uint64_t dump_packets(const struct capture_trace *trace, uint64_t at, uint64_t end, const struct arguments *a)
{
    char line[DUMP_LINE_MAX];
    uint64_t psb = at;
    while (at < end && at < a->to) {
        struct packet packet;
        if (at == psb)
            psb = psb_next(trace->bytes, end, at + 1);
        uint64_t room = (psb < end ? psb : end) - at;
        int size = packet_parse(&packet, trace->bytes + at, (size_t)room);
        if (size < 0) {
            printf("[%" PRIx64 ": error decoding packet: %s]\n", at,
                   size == PT_PARSE_UNKNOWN ? "unknown opcode"
                   : psb < end              ? "it reaches into a PSB"
                   : end < trace->size      ? "a gap begins within it"
                                            : "the trace ends within it");
            return at;
        }
        if (at >= a->from && !(a->no_pad && packet.kind == PT_PACKET_PAD))
            fwrite(line, 1, dump_line(line, at, &packet), stdout);
        at += (uint64_t)size;
    }
    return at;
}

struct dumped {
    bool looked, entered; /* there were bytes to look at; there was a PSB */
    uint64_t errors;
};

/* A run of bytes without a gap. */
static void dump_run(struct dumped *dumped, const struct capture_trace *trace, const struct gaps_run *run,
                     const struct arguments *a)
{
    const uint8_t *bytes = trace->bytes + run->begin;
    uint64_t size = run->end - run->begin;
    uint64_t at = a->from > run->begin ? psb_last(bytes, size, a->from - run->begin) : PSB_NONE;
    if (at == PSB_NONE)
        at = psb_next(bytes, size, 0);
    dumped->looked = true;
    dumped->entered = dumped->entered || at != PSB_NONE;
    while (at != PSB_NONE) {
        at = dump_packets(trace, run->begin + at, run->end, a);
        if (at >= run->end || at >= a->to)
            break;
        dumped->errors++;
        at = psb_next(bytes, size, at + 1 - run->begin);
    }
}

static int dump_trace(const struct capture_trace *trace, const struct gaps *gaps, const struct arguments *a)
{
    struct dumped dumped = {0};
    struct gaps_run run = {0};
    for (uint64_t end = 0; gaps_next_run(&run, gaps, trace->size) && run.begin < a->to; end = run.end) {
        if (run.begin > end && run.begin > a->from)
            printf("[%" PRIx64 ": gap of %" PRIu64 " bytes]\n", end, run.begin - end);
        if (run.end > a->from)
            dump_run(&dumped, trace, &run, a);
    }
    if (dumped.looked && !dumped.entered) {
        message_say("%s/cpu%" PRIu64 ".pt: no PSB in %" PRIu64 " bytes: nothing can be read", a->capture, a->cpu,
                    trace->size);
        return 1;
    }
    if (dumped.errors)
        message_say("%s/cpu%" PRIu64 ".pt: %" PRIu64 " places that are no packet", a->capture, a->cpu, dumped.errors);
    return dumped.errors ? 2 : 0;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       {"from", ARGUMENT_OFFSET, &a->from, 0},
                                       {"to", ARGUMENT_OFFSET, &a->to, 0},
                                       {"no-pad", ARGUMENT_FLAG, &a->no_pad, 0}};
    const struct syntax syntax = {"dump", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    *a = (struct arguments){.to = UINT64_MAX};
    return arguments_parse(&syntax, argc, argv, &a->capture);
}

/* A CPU's trace. Returns the exit status. */
static int dump_cpu(struct capture *capture, const struct arguments *a)
{
    struct error error = {0};
    struct gaps gaps = {0};
    capture_check_trace(capture, (unsigned)a->cpu, a->from, a->to);
    bool damaged = say_damages(capture);
    const struct capture_trace *trace = capture_trace(capture, a->cpu, &error);
    int status = 1;
    if (trace && gaps_collect(&gaps, capture, (uint16_t)a->cpu, &error))
        status = dump_trace(trace, &gaps, a);
    else
        error_say(&error);
    gaps_free(&gaps);
    return status == 0 && damaged ? 2 : status;
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
    status = dump_cpu(capture, &a);
    capture_close(capture);
    return status;
}
