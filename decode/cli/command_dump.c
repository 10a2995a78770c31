/* undertrace dump: the packets of a trace, one a line. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/capture.h"
#include "decode/capture/psb.h"
#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/report/dump_line.h"

static const char usage[] = "usage: undertrace dump CAPTURE [options]\n"
                            "\n"
                            "Prints the packets from the first PSB on, one a line, as libipt's ptdump does.\n"
                            "\n"
                            "  --cpu N      of this CPU (default 0)\n"
                            "  --from OFF   packets that start at trace offset OFF or behind it\n"
                            "  --to OFF     packets that start before OFF\n"
                            "  --no-pad     leave PADs out\n";

struct arguments {
    const char *capture;
    uint64_t cpu, from, to;
    bool no_pad;
};

/* Print from offset at on until a packet cannot be read. Returns its offset, or the end. PSBs are found byte by byte:
 * what reaches into one is no packet. */
static uint64_t dump_run(const struct capture_trace *trace, uint64_t at, const struct arguments *a)
{
    char line[DUMP_LINE_MAX];
    uint64_t psb = at;
    while (at < trace->size && at < a->to) {
        struct packet packet;
        if (at == psb)
            psb = psb_next(trace->bytes, trace->size, at + 1);
        uint64_t end = psb < trace->size ? psb : trace->size;
        int size = packet_parse(&packet, trace->bytes + at, (size_t)(end - at));
        if (size < 0) {
            printf("[%" PRIx64 ": error decoding packet: %s]\n", at,
                   size == PT_PARSE_UNKNOWN ? "unknown opcode"
                   : psb < trace->size      ? "it reaches into a PSB"
                                            : "the trace ends within it");
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

static bool parse_arguments(struct arguments *a, int argc, char **argv)
{
    static const struct option options[] = {{"cpu", 1, NULL, 'c'},    {"from", 1, NULL, 'f'}, {"to", 1, NULL, 't'},
                                            {"no-pad", 0, NULL, 'n'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
    *a = (struct arguments){.to = UINT64_MAX};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        uint64_t *number = option == 'c' ? &a->cpu : option == 'f' ? &a->from : option == 't' ? &a->to : NULL;
        if (number && !text_number(number, (struct record_text){optarg, strlen(optarg)})) {
            message_say("dump: %s: is no number", optarg);
            return false;
        }
        if (option == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (option == '?')
            return false;
        a->no_pad = a->no_pad || option == 'n';
    }
    if (optind != argc - 1) {
        fputs(usage, stderr);
        return false;
    }
    a->capture = argv[optind];
    return true;
}

int command_dump(int argc, char **argv)
{
    struct arguments a;
    if (!parse_arguments(&a, argc, argv))
        return 1;
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    struct error error = {0};
    const struct capture_trace *trace = capture_trace(capture, a.cpu, &error);
    if (!trace)
        error_say(&error);
    int status = trace ? dump_trace(trace, &a) : 1;
    capture_close(capture);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_errno("dump: standard output");
        return 1;
    }
    return status;
}
