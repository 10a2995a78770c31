/* undertrace doctor: check whether a machine can be traced. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/text.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/doctor/judge.h"
#include "decode/doctor/registers.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace doctor [options]\n"
    "\n"
    "Checks whether a running Linux machine can be booted under the hypervisor and traced, and what to do\n"
    "where it cannot: the CPU's VMX and Intel PT, network cards, serial ports, firmware, memory, the kernels\n"
    "in /boot, GRUB with its module and its menu, and the space in /boot. Prints the next commands. Changes\n"
    "nothing. It sees more as root, with the module msr loaded.\n"
    "\n"
    "  --json              print JSON\n"
    "  --root DIR          check another machine by its files: its /proc, /sys and /boot in DIR, the output\n"
    "                      of `cpuid -r` in DIR/dev/cpu/0/cpuid, MSRs as lines \"0x3a 0x5\" in\n"
    "                      DIR/dev/cpu/0/msr, and the output of `df -kP /boot` in DIR/boot.df\n"
    "\n"
    "Exit status: 0 the machine can be traced; 1 an error; 2 it cannot be traced; 3 only by single steps;\n"
    "4 not everything could be seen, and nothing seen rules out tracing.\n";

/* The verdict depends on the worst finding. */
static const struct verdict {
    const char *word, *mark, *text;
    int status;
} verdicts[FINDING_NR_STATES] = {
    [FINDING_GOOD] = {"yes", "", "This machine can be traced.", 0},
    [FINDING_NOTE] = {"yes", "note: ", "This machine can be traced.", 0},
    [FINDING_SLOW] = {"single-steps", "slow: ", "This machine can be traced by single steps only.", 3},
    [FINDING_UNSEEN] = {"unknown", "not seen: ", "Not everything could be checked; nothing found rules out tracing.",
                        4},
    [FINDING_BAD] = {"no", "NO: ", "As it is, this machine cannot be traced.", 2},
};

/* As the packages set the hypervisor's options (packaging/default/undertrace). */
static const char receiver[] = "undertrace receive --udp 21845 --announce -o capture";

static void print_text(const struct findings *findings, const struct verdict *verdict)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        printf("%-14s %s%s\n", finding->topic, verdicts[finding->state].mark, finding->text);
        if (finding->remedy[0])
            printf("%-14s   -> %s\n", "", finding->remedy);
    }
    printf("\n%s\n", verdict->text);
    if (findings->nr_next > 0)
        printf("\nNext, as root there:\n");
    for (size_t i = 0; i < findings->nr_next; i++)
        printf("  %s\n", findings->next[i]);
    if (verdict->status != 2)
        printf("Before it starts, on the machine that receives:\n  %s\n", receiver);
}

static void print_json(const struct findings *findings, const struct verdict *verdict)
{
    static const char *const states[] = {[FINDING_GOOD] = "good",
                                         [FINDING_NOTE] = "note",
                                         [FINDING_SLOW] = "slow",
                                         [FINDING_UNSEEN] = "unseen",
                                         [FINDING_BAD] = "bad"};
    fputs("{\n  ", stdout);
    json_string(stdout, "verdict", verdict->word, ",\n  \"findings\": [");
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        fputs(i ? ",\n    {" : "\n    {", stdout);
        json_string(stdout, "topic", finding->topic, ", ");
        json_string(stdout, "state", states[finding->state], ", ");
        json_string(stdout, "text", finding->text, ", ");
        json_string(stdout, "remedy", finding->remedy[0] ? finding->remedy : NULL, "}");
    }
    fputs("\n  ],\n  \"next\": [", stdout);
    for (size_t i = 0; i < findings->nr_next; i++) {
        fputs(i ? ",\n    " : "\n    ", stdout);
        text_write_json(stdout, (struct record_text){findings->next[i], strlen(findings->next[i])});
    }
    fputs(findings->nr_next ? "\n  ]\n}\n" : "]\n}\n", stdout);
}

int command_doctor(int argc, char **argv)
{
    const char *root = "/";
    bool json = false;
    const struct argument options[] = {
        {"root", ARGUMENT_TEXT, &root, 0},
        {"json", ARGUMENT_FLAG, &json, 0},
    };
    const struct syntax syntax = {"doctor", usage, options, sizeof(options) / sizeof(options[0]), 0, 0};
    const int status = arguments_parse(&syntax, argc, argv, NULL);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!strcmp(root, "/") && !registers_here()) {
        message_print("doctor: the processor of this machine is not an x86 processor; run undertrace doctor on the "
                      "machine that is to be traced, or name a directory with that machine's files (--root)");
        return 1;
    }
    struct stat directory;
    if (stat(root, &directory) == 0 && !S_ISDIR(directory.st_mode)) {
        message_print("doctor: %s: is not a directory", root);
        return 1;
    }
    if (access(root, R_OK | X_OK) != 0) {
        message_errno("doctor: %s", root);
        return 1;
    }
    static struct facts facts;
    static struct findings findings;
    facts_read(&facts, root);
    findings_judge(&findings, &facts);
    const struct verdict *verdict = &verdicts[findings_worst(&findings)];
    if (json)
        print_json(&findings, verdict);
    else
        print_text(&findings, verdict);
    return verdict->status;
}
