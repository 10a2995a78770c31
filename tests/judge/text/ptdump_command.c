/* undertrace-judge ptdump: raw packets as libipt's ptdump prints them, to compare both. */
#include <stdio.h>

#include "decode/capture/psb.h"
#include "decode/cli/arguments.h"
#include "decode/cli/message.h"
#include "decode/cli/options/foreign_input.h"
#include "decode/cli/text/error_text.h"
#include "decode/engine/errata.h"
#include "tests/judge/text/ptdump.h"
#include "tests/judge/text/text.h"

static const char usage[] =
    "usage: undertrace-judge ptdump FILE [options]\n"
    "\n"
    "Prints raw packets in the format of libipt's ptdump. FILE:OFFSET[-END] is a part of the file. The options have\n"
    "ptdump's names: --no-pad --lastip --exec-mode --raw --no-offset --no-timing --no-cyc --no-sync --quiet --time\n"
    "--tcal --time-delta --no-tcal --no-wall-clock --keep-tcal-on-ovf --cpu F/M/S --mtc-freq N --nom-freq N\n"
    "--cpuid-0x15.eax N --cpuid-0x15.ebx N\n";

struct arguments {
    const char *file, *cpu;
    struct text_clocks clocks;
    struct ptdump_options ptdump;
};

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    struct ptdump_options *p = &a->ptdump;
    const struct argument options[] = {{"cpu", ARGUMENT_TEXT, &a->cpu, 0},
                                       TEXT_CLOCK_OPTIONS(&a->clocks),
                                       {"no-pad", ARGUMENT_FLAG, &p->no_pad, 0},
                                       {"lastip", ARGUMENT_FLAG, &p->last_ip, 0},
                                       {"exec-mode", ARGUMENT_FLAG, &p->exec_mode, 0},
                                       {"raw", ARGUMENT_FLAG, &p->raw, 0},
                                       {"no-offset", ARGUMENT_FLAG, &p->no_offset, 0},
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
    const struct syntax syntax = {"ptdump", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &a->file);
    if (status != ARGUMENTS_GOOD || !p->time || !p->tcal)
        return status;
    message_print("ptdump: --time and --tcal exclude each other: they print the same column");
    return 1;
}

static void set_machine(struct ptdump_options *p, const struct flow_input *input)
{
    const struct errata errata = errata_of(input);
    p->skd007 = errata.skd007;
    p->skz84 = errata.skz84;
    p->setup = (struct dump_time_setup){.numerator = input->cpuid_15_ebx,
                                        .denominator = input->cpuid_15_eax,
                                        .mtc_freq = input->mtc_freq,
                                        .nom_freq = input->nominal_ratio,
                                        .calibrated = !p->no_tcal,
                                        .kept_on_overflow = p->keep_tcal_on_ovf,
                                        .skl168 = errata.skl168};
}

static int print_file(const struct foreign_file *packets, const struct arguments *a)
{
    if (a->ptdump.no_sync || psb_next(packets->bytes, packets->size, 0) != PSB_NONE)
        return ptdump_print(packets->bytes, packets->size, &a->ptdump) ? 2 : 0;
    message_print("%s: no PSB in %zu bytes: nothing can be read", a->file, packets->size);
    return 1;
}

int text_ptdump(int argc, char **argv)
{
    static struct arguments a;
    struct error error = {0};
    struct foreign_file packets = {0};
    struct flow_input input = {0};
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!foreign_input_model(&input, a.cpu))
        return 1;
    text_clocks_set(&input, &a.clocks);
    set_machine(&a.ptdump, &input);
    if (input.cpu_known && !errata_knows(&input))
        puts("[0: failed to determine errata: unknown cpu]");
    status = 1;
    if (foreign_packets(&packets, a.file, &error))
        status = print_file(&packets, &a);
    else
        error_print(&error);
    foreign_file_free(&packets);
    return status;
}
