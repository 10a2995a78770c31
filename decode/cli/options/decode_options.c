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
    "Decodes the control flow of a CPU's trace, and prints its totals.\n"
    "\n"
    "  --cpu N             decode this CPU (default: 0)\n"
    "  --branches FILE     write each branch of the guest to FILE (-: standard output), in order, one per line:\n"
    "                      the address of the branch and of the next executed instruction (0 where a filter\n"
    "                      hides it)\n"
    "  --instructions FILE\n"
    "                      write the address of each instruction of the guest to FILE, in order (slow). The list\n"
    "                      is incomplete where a conditional branch or a return leaves pt.range filters: a\n"
    "                      message says so, and the exit status is 2\n"
    "  --merged FILE       write the branches of all CPUs to FILE in one order, one per line: TSC, CPU, and the\n"
    "                      addresses as with --branches. The TSC has the precision of the timing packets;\n"
    "                      between two of its values the order of CPUs is unspecified. 0: no TSC packet there\n"
    "  --shard I/N         decode only the I-th of N parts of the trace, of each CPU unless --cpu or a list is\n"
    "                      given\n"
    "  --result FILE       with --shard: write the part's result to FILE, for `undertrace merge`\n"
    "  --threads N         use N threads (default: one for each processor)\n"
    "\n"
    "A trace that is not a capture:\n"
    "  --pt FILE           raw packets; FILE:OFFSET[-END]: a part of the file\n"
    "  --image FILE@VADDR  the code: this file was loaded at address VADDR; FILE:OFFSET[-END]:VADDR: a part of it\n"
    "  --elf FILE[@BASE]   the code: the loadable segments of an ELF file, at their own addresses, or from BASE on\n"
    "  --perf FILE         perf.data of perf record -e intel_pt//u: the packets and the program's mappings; the\n"
    "                      kernel's code and other missing code by --elf and --image\n"
    "  --pid N             of it: only the mappings of this process (default: of all, each in its own space)\n"
    "  --symfs DIR         of it: mapped files are below DIR, by their original paths\n"
    "  --buffer N          of it: only this buffer, of a CPU or thread (default: all, merged by their PSBs' times)\n"
    "  --cpu F/M/S         family, model and stepping, which determine the errata\n"
    "  --filter:addrN_cfg N, --filter:addrN_a ADDR, --filter:addrN_b ADDR\n"
    "                      the IP ranges to which tracing was confined (1) or at which it stopped (2)\n"
    "\n"
    "Exit status: 0 everything was decoded, nothing is missing or damaged; 1 an error; 2 parts are missing,\n"
    "damaged, or could not be decoded.\n";

/* Parse "I/N". */
static bool parse_shard(struct decode_options *a)
{
    int end = 0;
    if (!a->shard != !a->result || (a->shard && a->merged)) {
        message_print("decode: --shard and --result require each other and exclude --merged");
        return false;
    }
    if (!a->shard || (sscanf(a->shard, "%" SCNu32 "/%" SCNu32 "%n", &a->part, &a->nr_parts, &end) == 2 &&
                      !a->shard[end] && a->part > 0 && a->part <= a->nr_parts && a->nr_parts <= SHARDS_MAX))
        return true;
    message_print("decode: --shard: '%s' is not I/N with I from 1 to N and N at most %u", a->shard, SHARDS_MAX);
    return false;
}

/* Check for options without effect. Returns a message; NULL: there are none. */
static const char *said_in_vain(const struct decode_options *a)
{
    const struct foreign_options *f = &a->foreign;
    if (a->shard && foreign_input_given(f))
        return "--shard requires a capture";
    if (!f->perf && (f->symfs || f->pid != ARGUMENT_NOT_GIVEN || f->buffer != ARGUMENT_NOT_GIVEN))
        return "--pid, --buffer and --symfs require --perf";
    return NULL;
}

/* Check for options that exclude each other. */
static int check_arguments(struct decode_options *a)
{
    const char *vain = said_in_vain(a);
    if (vain) {
        message_print("decode: %s", vain);
        return 1;
    }
    if ((a->capture != NULL) + (a->foreign.pt != NULL) + (a->foreign.perf != NULL) != 1) {
        message_print("decode: give exactly one of CAPTURE, --pt FILE and --perf FILE");
        return 1;
    }
    if (a->merged && !a->capture) {
        message_print("decode: --merged requires a capture");
        return 1;
    }
    if (a->foreign.pt && a->foreign.images.count == 0) {
        message_print("decode: --pt requires the code: --image FILE@VADDR or --elf FILE");
        return 1;
    }
    if (a->capture && a->foreign.images.count > 0) {
        message_print("decode: a capture contains its code: --image and --elf require --pt or --perf");
        return 1;
    }
    if (a->merged && (a->branches || a->instructions)) {
        message_print("decode: --merged excludes --branches and --instructions");
        return 1;
    }
    return foreign_input_given(&a->foreign) || foreign_input_cpu_number(&a->cpu, &a->foreign) ? ARGUMENTS_GOOD : 1;
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
                                       FOREIGN_OPTIONS(f)};
    f->pid = f->buffer = ARGUMENT_NOT_GIVEN;
    const struct syntax syntax = {"decode", usage, options, sizeof(options) / sizeof(options[0]), 1, 1};
    const int status = arguments_parse(&syntax, argc, argv, &a->capture);
    if (status == ARGUMENTS_GOOD && !parse_shard(a))
        return 1;
    return status == ARGUMENTS_GOOD ? check_arguments(a) : status;
}
