/* undertrace dump: the packets of a trace, one per line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/capture/gaps.h"
#include "decode/capture/psb.h"
#include "decode/capture/text.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/foreign/foreign_trace.h"
#include "decode/report/dump_line.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace dump CAPTURE [options]\n"
    "       undertrace dump --pt FILE [options]\n"
    "\n"
    "Prints the packets from the first PSB on, one per line: trace offset, packet, payload. A gap of known size has\n"
    "a line of its own; reading continues at the next PSB.\n"
    "\n"
    "  --cpu N             the trace of this CPU (default: 0)\n"
    "  --pt FILE           raw packets instead of a capture; FILE:OFFSET[-END] is a part of the file\n"
    "  --offset FROM-TO    only packets that start at these trace offsets, TO exclusive; either side may be omitted\n"
    "  --no-pad            omit PAD packets\n"
    "\n"
    "Offsets are decimal, hexadecimal after 0x, or the 16 hexadecimal digits that dump prints.\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 some bytes are damaged, or are not a packet.\n";

#define DUMP_DIGITS 16u /* of an offset at the begin of a line */

struct arguments {
    const char *capture, *pt, *offset;
    uint64_t cpu, from, to;
    bool no_pad;
};

/* Print packets from offset at up to end, until one cannot be read. Returns its offset, or end. PSBs are found byte by
 * byte: a packet that extends into one is invalid. */
static uint64_t dump_packets(const struct capture_trace *trace, uint64_t at, uint64_t end, const struct arguments *a)
{
    char line[DUMP_LINE_MAX];
    enum packet_block block = PACKET_BLOCK_NONE;
    uint64_t psb = at;
    while (at < end && at < a->to) {
        struct packet packet;
        if (at == psb)
            psb = psb_next(trace->bytes, end, at + 1);
        uint64_t room = (psb < end ? psb : end) - at;
        int size = packet_parse_next(&packet, trace->bytes + at, (size_t)room, &block);
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
    bool has_bytes, has_psb; /* results: there were bytes, and a PSB */
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
    dumped->has_bytes = true;
    dumped->has_psb = dumped->has_psb || at != PSB_NONE;
    while (at != PSB_NONE) {
        at = dump_packets(trace, run->begin + at, run->end, a);
        if (at >= run->end || at >= a->to)
            break;
        dumped->errors++;
        at = psb_next(bytes, size, at + 1 - run->begin);
    }
}

/* Print the packets; name: of the file, for messages. Returns the exit status. */
static int dump_trace(const struct capture_trace *trace, const char *name, const struct gaps *gaps,
                      const struct arguments *a)
{
    struct dumped dumped = {0};
    struct gaps_run run = {0};
    char number[COUNTED_TEXT_SIZE];
    for (uint64_t end = 0; gaps_next_run(&run, gaps, trace->size) && run.begin < a->to; end = run.end) {
        if (run.begin > end && run.begin > a->from)
            printf("[%" PRIx64 ": gap of %" PRIu64 " byte%s]\n", end, run.begin - end, plural(run.begin - end));
        if (run.end > a->from)
            dump_run(&dumped, trace, &run, a);
    }
    if (!dumped.has_psb && (dumped.has_bytes || a->pt)) {
        message_print("%s: no PSB in %" PRIu64 " byte%s: nothing can be read", name, trace->size, plural(trace->size));
        return 1;
    }
    if (dumped.errors)
        message_print("%s: %s not a valid packet", name, counted_text(number, dumped.errors, "place is", "places are"));
    return dumped.errors ? 2 : 0;
}

/* One side of --offset; an empty one is omitted. */
static bool parse_offset(uint64_t *offset, const char *word, size_t length)
{
    char digits[DUMP_DIGITS + 1] = "";
    if (length == DUMP_DIGITS && strspn(word, "0123456789abcdefABCDEF") >= length) {
        memcpy(digits, word, length);
        *offset = strtoull(digits, NULL, 16);
        return true;
    }
    return length == 0 || text_number(offset, (struct record_text){word, length});
}

static bool parse_offsets(struct arguments *a)
{
    const char *hyphen = a->offset ? strchr(a->offset, '-') : NULL;
    if (!a->offset)
        return true;
    return hyphen && parse_offset(&a->from, a->offset, (size_t)(hyphen - a->offset)) &&
           parse_offset(&a->to, hyphen + 1, strlen(hyphen + 1)) && a->from < a->to;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {ARGUMENT_CPU(&a->cpu),
                                       {"pt", ARGUMENT_TEXT, &a->pt, 0},
                                       {"offset", ARGUMENT_TEXT, &a->offset, 0},
                                       {"no-pad", ARGUMENT_FLAG, &a->no_pad, 0}};
    const struct syntax syntax = {"dump", usage, options, sizeof(options) / sizeof(options[0]), 1, 1};
    a->to = UINT64_MAX;
    const int status = arguments_parse(&syntax, argc, argv, &a->capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!parse_offsets(a)) {
        message_print("dump: --offset: '%s' is not FROM-TO: give decimal numbers, 0x and hexadecimal digits, or the 16 "
                      "digits that dump prints",
                      a->offset);
        return 1;
    }
    if (!a->capture != !a->pt)
        return ARGUMENTS_GOOD;
    message_print(a->capture ? "dump: CAPTURE and --pt exclude each other" : "dump: CAPTURE or --pt FILE is required");
    return 1;
}

static int dump_foreign(const struct arguments *a)
{
    struct error error = {0};
    struct foreign_file packets = {0};
    int status = 1;
    if (foreign_packets(&packets, a->pt, &error)) {
        const struct capture_trace trace = {.present = true, .bytes = packets.bytes, .size = packets.size};
        status = dump_trace(&trace, a->pt, &(struct gaps){0}, a);
    } else {
        error_print(&error);
    }
    foreign_file_free(&packets);
    return status;
}

static int dump_cpu(struct capture *capture, const struct arguments *a)
{
    struct error error = {0};
    struct gaps gaps = {0};
    char name[FILENAME_MAX];
    capture_check_trace(capture, (unsigned)a->cpu, a->from, a->to);
    bool damaged = damages_print(capture);
    const struct capture_trace *trace = capture_trace(capture, a->cpu, &error);
    int status = 1;
    snprintf(name, sizeof(name), "%s/cpu%" PRIu64 ".pt", a->capture, a->cpu);
    if (trace && gaps_collect(&gaps, capture, (uint16_t)a->cpu, &error))
        status = dump_trace(trace, name, &gaps, a);
    else
        error_print(&error);
    gaps_free(&gaps);
    return status == 0 && damaged ? 2 : status;
}

int command_dump(int argc, char **argv)
{
    static struct arguments a;
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct capture *capture = a.pt ? NULL : open_capture(a.capture);
    if (!a.pt && !capture)
        return 1;
    pager_start();
    status = a.pt ? dump_foreign(&a) : dump_cpu(capture, &a);
    if (capture)
        capture_close(capture);
    return status;
}
