/* undertrace-judge ptxed: a trace as libipt's ptxed prints it, to compare both. */
#include "decode/cli/message.h"
#include "decode/cli/options/foreign_input.h"
#include "tests/judge/text/ptxed.h"
#include "tests/judge/text/text.h"

static const char usage[] =
    "usage: undertrace-judge ptxed --pt FILE --image FILE@VADDR... [options]\n"
    "       undertrace-judge ptxed --perf FILE [options]\n"
    "\n"
    "Prints the address of each instruction, one per line, and events in brackets, like libipt's ptxed with "
    "--no-inst.\n"
    "--pt, --image, --elf, --perf, --pid, --buffer, --symfs, --cpu F/M/S and --filter:addr... select trace and code "
    "as\n"
    "for `undertrace decode`; --raw is --image. The other options have ptxed's names: --event:ip --event:time\n"
    "--event:tick --event:iflags --time --quiet --stat --stat:insn --stat:blocks --insn-decoder --block-decoder\n"
    "--block:show-blocks --block:end-on-call --block:end-on-jump --insn:keep-tcal-on-ovf --block:keep-tcal-on-ovf\n"
    "--mtc-freq N --nom-freq N --cpuid-0x15.eax N --cpuid-0x15.ebx N. --resync-on-error: continue after an error at "
    "the\n"
    "next packet with the current IP, instead of the next PSB.\n";

struct arguments {
    struct foreign_options foreign;
    struct text_clocks clocks;
    struct ptxed_options ptxed;
    bool ignored; /* options of ptxed without effect: --no-inst is always on, --check has nothing to check, and others
                     choose how instructions are printed */
    uint64_t unused;
};

/* --stat by itself selects all statistics. */
static void choose_statistics(struct ptxed_options *p)
{
    p->show_blocks &= !p->single;
    if (p->stat && !p->stat_instructions && !p->stat_blocks) {
        p->stat_instructions = true;
        p->stat_blocks = !p->single;
    }
}

/* The names of ptxed. */
static int parse_options(struct arguments *a, int argc, char **argv)
{
    struct foreign_options *f = &a->foreign;
    struct ptxed_options *p = &a->ptxed;
    const struct argument options[] = {{"event:ip", ARGUMENT_FLAG, &p->event_ip, 0},
                                       {"event:time", ARGUMENT_FLAG, &p->event_time, 0},
                                       {"event:iflags", ARGUMENT_FLAG, &p->event_iflags, 0},
                                       {"event:tick", ARGUMENT_FLAG, &p->event_tick, 0},
                                       {"time", ARGUMENT_FLAG, &p->time, 0},
                                       {"insn:keep-tcal-on-ovf", ARGUMENT_FLAG, &p->keep_tcal, 0},
                                       {"block:keep-tcal-on-ovf", ARGUMENT_FLAG, &p->keep_tcal, 0},
                                       {"no-inst", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"check", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"verbose", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"v", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"raw-insn", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"att", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"iscache-limit", ARGUMENT_NUMBER, &a->unused, UINT64_MAX},
                                       {"block-decoder", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"insn-decoder", ARGUMENT_FLAG, &p->single, 0},
                                       {"quiet", ARGUMENT_FLAG, &p->quiet, 0},
                                       {"q", ARGUMENT_FLAG, &p->quiet, 0},
                                       {"resync-on-error", ARGUMENT_FLAG, &p->resync, 0},
                                       {"block:show-blocks", ARGUMENT_FLAG, &p->show_blocks, 0},
                                       {"block:end-on-call", ARGUMENT_FLAG, &p->end_on_call, 0},
                                       {"block:end-on-jump", ARGUMENT_FLAG, &p->end_on_jump, 0},
                                       {"stat", ARGUMENT_FLAG, &p->stat, 0},
                                       {"stat:insn", ARGUMENT_FLAG, &p->stat_instructions, 0},
                                       {"stat:blocks", ARGUMENT_FLAG, &p->stat_blocks, 0},
                                       {"raw", ARGUMENT_LIST, &f->images, 0},
                                       TEXT_CLOCK_OPTIONS(&a->clocks),
                                       FOREIGN_OPTIONS(f)};
    f->pid = f->buffer = ARGUMENT_NOT_GIVEN;
    return arguments_parse(&(struct syntax){"ptxed", usage, options, sizeof(options) / sizeof(options[0]), 0, 0}, argc,
                           argv, NULL);
}

int text_ptxed(int argc, char **argv)
{
    static struct arguments a;
    struct foreign foreign;
    int status = parse_options(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!foreign_input_given(&a.foreign)) {
        message_print("ptxed: --pt FILE or --perf FILE is required");
        return 1;
    }
    choose_statistics(&a.ptxed);
    status = 1;
    if (foreign_input_open(&foreign, &a.foreign)) {
        if (a.foreign.pt)
            text_clocks_set(&foreign.trace.input, &a.clocks);
        status = ptxed_print(&foreign.trace, &foreign.image, &a.ptxed);
    }
    foreign_close(&foreign);
    return status;
}
