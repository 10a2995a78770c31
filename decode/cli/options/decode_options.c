#include "decode/cli/options/decode_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture.h"
#include "decode/cli/arguments.h"
#include "decode/cli/message.h"
#include "decode/report/shards.h"

static const char usage[] =
    "usage: undertrace decode CAPTURE [options]\n"
    "       undertrace decode --pt FILE --image FILE@VADDR... [--cpu F/M/S] [options]\n"
    "       undertrace decode --perf FILE [options]\n"
    "\n"
    "Decodes the control flow of a CPU's trace and prints how much it was.\n"
    "\n"
    "  --cpu N           of this CPU (default 0)\n"
    "  --merged FILE     write the branches of all CPUs to FILE (- is standard output) in one order, one a line: TSC, "
    "CPU,\n"
    "                    and the addresses as with --branches. The TSC is as exact as the timing packets; between two "
    "of\n"
    "                    its values the order of CPUs says nothing. 0: the trace has no TSC packet there\n"
    "  --branches FILE   write every branch of the guest to FILE (- is standard output), in order, one a line:\n"
    "                    address of the branch, address of what was executed next; that is 0 where a\n"
    "                    filter hides it\n"
    "  --instructions FILE\n"
    "                    write the address of every instruction of the guest to FILE, in order (slow).\n"
    "                    Not whole where a conditional branch or a return leaves pt.range filters: said, status 2\n"
    "  --shard I/N       only the I-th of N parts of the trace, of each CPU unless --cpu is given or a list wanted\n"
    "  --result FILE     write what `undertrace merge` makes a whole of to FILE; with --shard\n"
    "  --threads N       with N threads (default: one a processor)\n"
    "  --format=ptxed    print instead each instruction's address, one a line, and events in brackets, as libipt's "
    "ptxed\n"
    "                    does with --no-inst. --event:ip, --event:time, --event:tick, --event:iflags and --time say "
    "more of events;\n"
    "                    --insn:keep-tcal-on-ovf, --block:keep-tcal-on-ovf, --quiet, --stat, --stat:insn, "
    "--stat:blocks,\n"
    "                    --insn-decoder, --block:show-blocks, --block:end-on-call and --block:end-on-jump do what "
    "they\n"
    "                    do for ptxed. --resync-on-error: behind an error go on at the next packet that says where "
    "execution\n"
    "                    stands, not only at the next PSB\n"
    "\n"
    "A trace that is no capture:\n"
    "  --pt FILE         raw packets; FILE:OFFSET[-END]: a part of them\n"
    "  --image FILE@VADDR\n"
    "                    the code: this file stood at address VADDR. FILE:OFFSET[-END]:VADDR: a part of it\n"
    "  --elf FILE[@BASE] the segments of an ELF file, where it says, or from BASE on\n"
    "  --perf FILE       perf.data of perf record -e intel_pt//u: the packets and the program's mappings; the kernel's "
    "code and\n"
    "                    what else is missing by --elf and --image\n"
    "  --pid N           of it: the mappings of this process alone (default: of all that ran, each in its space)\n"
    "  --symfs DIR       of it: mapped files are in DIR, by the paths that they had\n"
    "  --buffer N        of it: this CPU's or thread's buffer alone (default: all, in the order of their PSBs' times)\n"
    "  --cpu F/M/S       family, model and stepping: which errata are to be expected\n"
    "  --mtc-freq N, --nom-freq N, --cpuid-0x15.eax N, --cpuid-0x15.ebx N\n"
    "                    what the timing packets count in\n"
    "  --filter:addrN_cfg N, --filter:addrN_a ADDR, --filter:addrN_b ADDR\n"
    "                    the IP ranges that tracing was confined to (1) or ended at (2)\n"
    "\n"
    "Exit status: 0 all was decoded, nothing is missing or damaged; 1 an error; 2 parts are missing, damaged, or could "
    "not\n"
    "be decoded.\n";

/* Parse "I/N". */
static bool parse_shard(struct decode_options *a)
{
    int end = 0;
    if (!a->shard != !a->result || (a->shard && a->merged)) {
        message_say("decode: --shard and --result require each other and exclude --merged");
        return false;
    }
    if (!a->shard || (sscanf(a->shard, "%" SCNu32 "/%" SCNu32 "%n", &a->part, &a->nr_parts, &end) == 2 &&
                      !a->shard[end] && a->part > 0 && a->part <= a->nr_parts && a->nr_parts <= SHARDS_MAX))
        return true;
    message_say("decode: --shard: '%s' is not I/N with I from 1 to N and N at most %u", a->shard, SHARDS_MAX);
    return false;
}

/* Check for options without effect. Returns a message; NULL: there are none. */
static const char *said_in_vain(const struct decode_options *a)
{
    static const struct ptxed_options none;
    const struct foreign_options *f = &a->foreign;
    if (!a->format && memcmp(&a->ptxed, &none, sizeof(none)) != 0)
        return "--event, --block, --stat, --time, --quiet, --resync-on-error and similar options require "
               "--format=ptxed";
    if (a->shard && (a->format || foreign_input_given(f)))
        return "--shard requires a capture and excludes --format=ptxed";
    if (!f->perf && (f->symfs || f->pid != ARGUMENT_NOT_GIVEN || f->buffer != ARGUMENT_NOT_GIVEN))
        return "--pid, --buffer and --symfs require --perf";
    return NULL;
}

/* Check for options that exclude each other. */
static int check_arguments(struct decode_options *a)
{
    const bool ptxed = a->format && !strcmp(a->format, "ptxed");
    const char *vain = said_in_vain(a);
    if (vain) {
        message_say("decode: %s", vain);
        return 1;
    }
    if (a->format && !ptxed) {
        message_say("decode: unknown format '%s'; choose from ptxed", a->format);
        return 1;
    }
    if ((a->capture != NULL) + (a->foreign.pt != NULL) + (a->foreign.perf != NULL) != 1) {
        message_say("decode: give exactly one of CAPTURE, --pt FILE and --perf FILE");
        return 1;
    }
    if (a->merged && !a->capture) {
        message_say("decode: --merged requires a capture");
        return 1;
    }
    if (a->foreign.pt && a->foreign.images.count == 0) {
        message_say("decode: --pt requires the code: --image FILE@VADDR or --elf FILE");
        return 1;
    }
    if (a->capture && a->foreign.images.count > 0) {
        message_say("decode: a capture contains its code: --image and --elf require --pt or --perf");
        return 1;
    }
    if ((a->merged || ptxed) && (a->branches || a->instructions || (a->merged && ptxed))) {
        message_say("decode: --branches and --instructions, --merged, and --format=ptxed exclude each other");
        return 1;
    }
    return foreign_input_given(&a->foreign) || foreign_input_cpu_number(&a->cpu, &a->foreign, "decode") ? ARGUMENTS_GOOD
                                                                                                        : 1;
}

/* --stat by itself selects all statistics. */
static void choose_statistics(struct ptxed_options *p)
{
    p->show_blocks &= !p->single;
    if (p->stat && !p->stat_instructions && !p->stat_blocks) {
        p->stat_instructions = true;
        p->stat_blocks = !p->single;
    }
}

int decode_options_parse(struct decode_options *a, int argc, char **argv)
{
    struct foreign_options *f = &a->foreign;
    const struct argument options[] = {ARGUMENT_THREADS(&a->threads),
                                       {"branches", ARGUMENT_TEXT, &a->branches, 0},
                                       {"merged", ARGUMENT_TEXT, &a->merged, 0},
                                       {"instructions", ARGUMENT_TEXT, &a->instructions, 0},
                                       {"shard", ARGUMENT_TEXT, &a->shard, 0},
                                       {"result", ARGUMENT_TEXT, &a->result, 0},
                                       {"format", ARGUMENT_TEXT, &a->format, 0},
                                       {"event:ip", ARGUMENT_FLAG, &a->ptxed.event_ip, 0},
                                       {"event:time", ARGUMENT_FLAG, &a->ptxed.event_time, 0},
                                       {"event:iflags", ARGUMENT_FLAG, &a->ptxed.event_iflags, 0},
                                       {"event:tick", ARGUMENT_FLAG, &a->ptxed.event_tick, 0},
                                       {"time", ARGUMENT_FLAG, &a->ptxed.time, 0},
                                       {"insn:keep-tcal-on-ovf", ARGUMENT_FLAG, &a->ptxed.keep_tcal, 0},
                                       {"block:keep-tcal-on-ovf", ARGUMENT_FLAG, &a->ptxed.keep_tcal, 0},
                                       {"no-inst", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"check", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"verbose", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"raw-insn", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"att", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"iscache-limit", ARGUMENT_NUMBER, &a->unused, UINT64_MAX},
                                       {"insn-decoder", ARGUMENT_FLAG, &a->ptxed.single, 0},
                                       {"quiet", ARGUMENT_FLAG, &a->ptxed.quiet, 0},
                                       {"q", ARGUMENT_FLAG, &a->ptxed.quiet, 0},
                                       {"v", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"resync-on-error", ARGUMENT_FLAG, &a->ptxed.resync, 0},
                                       {"block-decoder", ARGUMENT_FLAG, &a->ignored, 0},
                                       {"block:show-blocks", ARGUMENT_FLAG, &a->ptxed.show_blocks, 0},
                                       {"block:end-on-call", ARGUMENT_FLAG, &a->ptxed.end_on_call, 0},
                                       {"block:end-on-jump", ARGUMENT_FLAG, &a->ptxed.end_on_jump, 0},
                                       {"stat", ARGUMENT_FLAG, &a->ptxed.stat, 0},
                                       {"stat:insn", ARGUMENT_FLAG, &a->ptxed.stat_instructions, 0},
                                       {"stat:blocks", ARGUMENT_FLAG, &a->ptxed.stat_blocks, 0},
                                       {"pt", ARGUMENT_TEXT, &f->pt, 0},
                                       {"perf", ARGUMENT_TEXT, &f->perf, 0},
                                       {"pid", ARGUMENT_NUMBER, &f->pid, UINT32_MAX},
                                       {"buffer", ARGUMENT_NUMBER, &f->buffer, UINT32_MAX},
                                       {"symfs", ARGUMENT_TEXT, &f->symfs, 0},
                                       {"image", ARGUMENT_LIST, &f->images, 0},
                                       {"raw", ARGUMENT_LIST, &f->images, 0},
                                       {"elf", ARGUMENT_LIST, &f->images, 0},
                                       FOREIGN_MACHINE_OPTIONS(f),
                                       FOREIGN_RANGE_OPTIONS(f, 0),
                                       FOREIGN_RANGE_OPTIONS(f, 1),
                                       FOREIGN_RANGE_OPTIONS(f, 2),
                                       FOREIGN_RANGE_OPTIONS(f, 3)};
    f->pid = f->buffer = ARGUMENT_NOT_GIVEN;
    const struct syntax syntax = {"decode", usage, options, sizeof(options) / sizeof(options[0]), 1, 1};
    const int status = arguments_parse(&syntax, argc, argv, &a->capture);
    if (status == ARGUMENTS_GOOD && !parse_shard(a))
        return 1;
    if (status == ARGUMENTS_GOOD)
        choose_statistics(&a->ptxed);
    return status == ARGUMENTS_GOOD ? check_arguments(a) : status;
}
