#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/text/pager.h"

/* The build defines UNDERTRACE_COMMIT when it builds from a git checkout. */
#ifdef UNDERTRACE_COMMIT
#define COMMIT " (commit " UNDERTRACE_COMMIT ")"
#else
#define COMMIT ""
#endif

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"receive", command_receive, "receive a stream over UDP or a serial line into a capture"},
    {"control", command_control, "send a command to the machine whose trace is being received"},
    {"info", command_info, "machine, configuration and totals of a capture"},
    {"dump", command_dump, "packets, one per line"},
    {"decode", command_decode, "control flow: every branch, in order"},
    {"names", command_names, "functions that were entered, or the names of addresses"},
    {"merge", command_merge, "combine the results of parts that were decoded separately"},
    {"verify", command_verify, "compare decoded branches with those of the emulated CPU"},
    {"export", command_export, "files for other tools: calls over time, call tree, branches, samples"},
    {"page", command_page, "one HTML page: time line, flame graph, functions, coverage"},
    {"serve", command_serve, "the page with every detail of the trace, from a server on this machine"},
    {"report", command_report, "a report for people, and the same figures as JSON"},
    {"trace", command_trace, "functions, branches or instructions in order, with filters"},
    {"diff", command_diff, "functions that only one of two captures has, and where the traces differ"},
    {"code", command_code, "captured code as an ELF file, at any moment"},
    {"find", command_find, "when and how often an address, page or function was executed"},
    {"stack", command_stack, "what each CPU was executing at a moment: the open calls, and since when"},
    {"irqs", command_irqs, "how long interrupts and exceptions took"},
    {"syscalls", command_syscalls, "how long system calls took, by call and by process"},
    {"sched", command_sched, "how long tasks ran and waited"},
    {"callgraph", command_callgraph, "who called a function and what it called, with branches and time"},
    {"gdb", command_gdb, "step through a trace with gdb, forwards and backwards"},
    {"last", command_last, "how the trace ended, and what each CPU did last"},
    {"latency", command_latency, "how long the calls of a function took: percentiles, histogram, slowest"},
    {"hardware", command_hardware, "what the self-test found on a machine"},
    {"kernel-options", command_kernel_options, "hypervisor options that depend on the guest's kernel"},
    {"doctor", command_doctor, "check whether this machine can be traced"},
};
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
    fputs("usage: undertrace [--no-pager] COMMAND ...\n\n", file);
    for (size_t i = 0; i < NR_COMMANDS; i++)
        fprintf(file, "  %-14s %s\n", commands[i].name, commands[i].summary);
    fputs("\nOn a terminal, long lists go through $PAGER (default: less).\n", file);
    fputs("See `undertrace COMMAND --help` for a command, undertrace(1) for all of them.\n", file);
}

/* NULL: there is none, which a message says. */
static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < NR_COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    message_print("unknown command '%s'; undertrace --help lists the commands", name);
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
