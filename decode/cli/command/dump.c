/* undertrace dump: the packets of a trace, one per line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/capture/capture_check.h"
#include "decode/capture/gaps.h"
#include "decode/capture/psb.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/foreign_input.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/ptdump.h"
#include "decode/engine/errata.h"
#include "decode/report/dump_line.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace dump CAPTURE [options]\n"
    "       undertrace dump --pt FILE [options]\n"
    "\n"
    "Prints the packets from the first PSB on, one per line, in the format of libipt's ptdump. A gap of known\n"
    "size has a line of its own; reading continues at the next PSB.\n"
    "\n"
    "  --cpu N             the trace of this CPU (default: 0)\n"
    "  --from OFFSET       packets that start at or after this trace offset\n"
    "  --to OFFSET         packets that start before this trace offset\n"
    "  --no-pad            omit PAD packets\n"
    "\n"
    "  --format=ptdump     report invalid packets in the words of ptdump, and no gaps\n"
    "  --pt FILE           raw packets instead of a capture, printed as with --format=ptdump;\n"
    "                      FILE:OFFSET[-END] is a part of the file. With --format=ptdump, CAPTURE may also be\n"
    "                      a file of raw packets\n"
    "  --lastip --exec-mode --raw --no-offset --no-timing --no-cyc --no-sync --quiet\n"
    "                      with these: ptdump's options of these names; --cpu F/M/S: the CPU's model\n"
    "  --time --tcal --time-delta --no-tcal --no-wall-clock --keep-tcal-on-ovf\n"
    "  --mtc-freq N --nom-freq N --cpuid-0x15.eax N --cpuid-0x15.ebx N\n"
    "                      also with these: the TSC at each timing packet, or the length of a cycle, as ptdump\n"
    "                      computes them\n"
    "\n"
    "Offsets are decimal, hexadecimal after 0x, or the 16 hexadecimal digits that dump prints.\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 some bytes are damaged, or are not a packet.\n";

struct arguments {
    const char *capture, *format;
    uint64_t cpu, from, to;
    struct foreign_options foreign;
    struct ptdump_options ptdump;
};

/* Print packets from offset at up to end, until one cannot be read. Returns its offset, or end. PSBs are found byte by
 * byte: a packet that extends into one is invalid. */
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
        if (at >= a->from && !(a->ptdump.no_pad && packet.kind == PT_PACKET_PAD))
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

static int dump_trace(const struct capture_trace *trace, const struct gaps *gaps, const struct arguments *a)
{
    struct dumped dumped = {0};
    struct gaps_run run = {0};
    char number[COUNTED_TEXT_SIZE];
    for (uint64_t end = 0; gaps_next_run(&run, gaps, trace->size) && run.begin < a->to; end = run.end) {
        if (run.begin > end && run.begin > a->from)
            printf("[%" PRIx64 ": gap of %" PRIu64 " bytes]\n", end, run.begin - end);
        if (run.end > a->from)
            dump_run(&dumped, trace, &run, a);
    }
    if (dumped.has_bytes && !dumped.has_psb) {
        message_print("%s/cpu%" PRIu64 ".pt: no PSB in %" PRIu64 " bytes: nothing can be read", a->capture, a->cpu,
                      trace->size);
        return 1;
    }
    if (dumped.errors)
        message_print("%s/cpu%" PRIu64 ".pt: %s not a valid packet", a->capture, a->cpu,
                      counted_text(number, dumped.errors, "place is", "places are"));
    return dumped.errors ? 2 : 0;
}

static bool is_directory(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

static int check_arguments(struct arguments *a)
{
    if (a->format && strcmp(a->format, "ptdump")) {
        message_print("dump: unknown format '%s'; choose from ptdump", a->format);
        return 1;
    }
    if (!a->capture == !a->foreign.pt) {
        message_print(a->capture ? "dump: CAPTURE and --pt exclude each other"
                                 : "dump: CAPTURE or --pt FILE is required");
        return 1;
    }
    if (a->format && a->capture && !is_directory(a->capture)) {
        a->foreign.pt = a->capture;
        a->capture = NULL;
    }
    if (a->ptdump.time && a->ptdump.tcal) {
        message_print("dump: --time and --tcal exclude each other: they print the same column");
        return 1;
    }
    return a->foreign.pt || foreign_input_cpu_number(&a->cpu, &a->foreign, "dump") ? ARGUMENTS_GOOD : 1;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    struct ptdump_options *p = &a->ptdump;
    const struct argument options[] = {FOREIGN_MACHINE_OPTIONS(&a->foreign),
                                       {"from", ARGUMENT_OFFSET, &a->from, 0},
                                       {"to", ARGUMENT_OFFSET, &a->to, 0},
                                       {"no-pad", ARGUMENT_FLAG, &p->no_pad, 0},
                                       {"format", ARGUMENT_TEXT, &a->format, 0},
                                       {"pt", ARGUMENT_TEXT, &a->foreign.pt, 0},
                                       {"lastip", ARGUMENT_FLAG, &p->style.last_ip, 0},
                                       {"exec-mode", ARGUMENT_FLAG, &p->style.exec_mode, 0},
                                       {"raw", ARGUMENT_FLAG, &p->raw, 0},
                                       {"no-offset", ARGUMENT_FLAG, &p->style.no_offset, 0},
                                       {"no-timing", ARGUMENT_FLAG, &p->no_timing, 0},
                                       {"no-cyc", ARGUMENT_FLAG, &p->no_cyc, 0},
                                       {"no-sync", ARGUMENT_FLAG, &p->no_sync, 0},
                                       {"quiet", ARGUMENT_FLAG, &p->quiet, 0},
                                       {"time", ARGUMENT_FLAG, &p->time, 0},
                                       {"tcal", ARGUMENT_FLAG, &p->tcal, 0},
                                       {"time-delta", ARGUMENT_FLAG, &p->time_delta, 0},
                                       {"no-tcal", ARGUMENT_FLAG, &p->no_tcal, 0},
                                       {"no-wall-clock", ARGUMENT_FLAG, &p->no_wall_clock, 0},
                                       {"keep-tcal-on-ovf", ARGUMENT_FLAG, &p->keep_tcal_on_ovf, 0}};
    const struct syntax syntax = {"dump", usage, options, sizeof(options) / sizeof(options[0]), 1, 1};
    a->to = UINT64_MAX;
    const int status = arguments_parse(&syntax, argc, argv, &a->capture);
    return status == ARGUMENTS_GOOD ? check_arguments(a) : status;
}

static void set_machine(struct ptdump_options *p, const struct foreign_options *f, const struct flow_input *input)
{
    const struct errata errata = errata_of(input);
    p->skd007 = errata.skd007;
    p->skz84 = errata.skz84;
    p->setup = (struct dump_time_setup){.numerator = (uint32_t)f->cpuid_15_ebx,
                                        .denominator = (uint32_t)f->cpuid_15_eax,
                                        .mtc_freq = (uint8_t)f->mtc_freq,
                                        .nom_freq = (uint8_t)f->nom_freq,
                                        .calibrated = !p->no_tcal,
                                        .kept_on_overflow = p->keep_tcal_on_ovf,
                                        .skl168 = errata.skl168};
}

static int dump_foreign(struct arguments *a)
{
    struct error error = {0};
    struct foreign_file packets = {0};
    struct flow_input input = {0};
    if (!foreign_input_model(&input, a->foreign.cpu, "dump"))
        return 1;
    set_machine(&a->ptdump, &a->foreign, &input);
    if (input.cpu_known && !errata_knows(&input))
        puts("[0: failed to determine errata: unknown cpu]");
    if (!foreign_packets(&packets, a->foreign.pt, &error)) {
        error_print(&error);
        return 1;
    }
    int status = 0;
    if (!a->ptdump.no_sync && psb_next(packets.bytes, packets.size, 0) == PSB_NONE) {
        message_print("%s: no PSB in %zu bytes: nothing can be read", a->foreign.pt, packets.size);
        status = 1;
    } else if (ptdump_print(packets.bytes, 0, packets.size, a->from, a->to, &a->ptdump)) {
        status = 2;
    }
    foreign_file_free(&packets);
    return status;
}

/* Print the bytes between gaps. */
static int ptdump_trace(const struct capture_trace *trace, const struct gaps *gaps, struct arguments *a)
{
    struct gaps_run run = {0};
    uint64_t errors = 0;
    while (gaps_next_run(&run, gaps, trace->size))
        errors += ptdump_print(trace->bytes + run.begin, run.begin, run.end - run.begin, a->from, a->to, &a->ptdump);
    return errors ? 2 : 0;
}

/* Print a CPU's trace. Returns the exit status. */
static int dump_cpu(struct capture *capture, struct arguments *a)
{
    struct error error = {0};
    struct gaps gaps = {0};
    capture_check_trace(capture, (unsigned)a->cpu, a->from, a->to);
    bool damaged = damages_print(capture);
    const struct capture_trace *trace = capture_trace(capture, a->cpu, &error);
    set_machine(&a->ptdump, &a->foreign, &(struct flow_input){.cpu_known = false});
    int status = 1;
    if (trace && gaps_collect(&gaps, capture, (uint16_t)a->cpu, &error))
        status = a->format ? ptdump_trace(trace, &gaps, a) : dump_trace(trace, &gaps, a);
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
    if (a.foreign.pt) {
        pager_start();
        return dump_foreign(&a);
    }
    struct capture *capture = open_capture(a.capture);
    if (!capture)
        return 1;
    pager_start();
    status = dump_cpu(capture, &a);
    capture_close(capture);
    return status;
}
