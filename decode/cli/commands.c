#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/text/pager.h"

/* The build defines it where it builds from a git checkout. */
#ifdef UNDERTRACE_COMMIT
#define COMMIT " (commit " UNDERTRACE_COMMIT ")"
#else
#define COMMIT ""
#endif

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} commands[] = {
    {"receive", command_receive, "receive a stream over UDP or a serial line into a capture"},
    {"control", command_control, "a command to the machine that is being received from"},
    {"info", command_info, "what a capture is: machine, configuration, totals"},
    {"dump", command_dump, "the packets, one a line"},
    {"decode", command_decode, "the control flow: every branch, in order"},
    {"names", command_names, "the functions that were entered, by name; what stands at an address"},
    {"merge", command_merge, "decode or report, of the results of parts that were decoded apart"},
    {"verify", command_verify, "compare the control flow with what the emulated CPU did"},
    {"export", command_export, "calls over time, call tree or branches, as files for other tools"},
    {"page", command_page, "one HTML page: time line, flame graph, functions, coverage"},
    {"report", command_report, "a readable report, and summary.json"},
    {"trace", command_trace, "functions, branches or instructions, in order, by filters"},
    {"diff", command_diff, "functions that ran in one capture and not in another, and where they part"},
    {"code", command_code, "the captured code as an ELF file, at any time"},
    {"find", command_find, "when an address, page or function was executed first and last, and how often"},
    {"hardware", command_hardware, "what the self-test has found of a machine, and what is known of its like"},
    {"kernel-options", command_kernel_options, "words for the hypervisor that follow from a guest's kernel"},
    {"doctor", command_doctor, "can this machine be traced? What to do where it cannot"},
};
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
    fputs("usage: undertrace [--no-pager] COMMAND ...\n\n", file);
    for (size_t i = 0; i < NR_COMMANDS; i++)
        fprintf(file, "  %-14s %s\n", commands[i].name, commands[i].purpose);
    fputs("\nLong lists go through $PAGER (less), where standard output is a terminal.\n", file);
    fputs("`undertrace COMMAND --help` explains a command, undertrace(1) all of them.\n", file);
}

/* NULL: said that there is none. */
static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < NR_COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    message_say("unknown command '%s'; undertrace --help lists the commands", name);
    return NULL;
}

int commands_run(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--no-pager")) {
        pager_forbid();
        argc--;
        argv++;
    }
    if (argc < 2) {
        print_help(stderr);
        return 1;
    }
    if (argc == 3 && !strcmp(argv[1], "help")) {
        const struct command *command = find_command(argv[2]);
        char help[] = "--help", *words[] = {argv[2], help, NULL};
        return command ? command->run(2, words) : 1;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("undertrace " UNDERTRACE_VERSION COMMIT);
        return 0;
    }
    if (!strcmp(argv[1], ARGUMENTS_COMPLETE)) {
        for (size_t i = 0; i < NR_COMMANDS; i++)
            puts(commands[i].name);
        return 0;
    }
    const struct command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : 1;
}
