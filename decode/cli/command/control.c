/* undertrace control: send a command to the traced machine, through the receiver that writes the capture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/receive/control.h"
#include "serial/wire/command.h"

static const char usage[] =
    "usage: undertrace control CAPTURE status|pause|resume|snapshot\n"
    "       undertrace control CAPTURE set NAME=VALUE...\n"
    "\n"
    "Sends a command to the machine whose stream `undertrace receive` writes to CAPTURE, and prints the\n"
    "answers: one from each running CPU.\n"
    "\n"
    "  status     print the state of tracing\n"
    "  pause      stop tracing; the guest continues, and a gap is recorded\n"
    "  resume     continue tracing\n"
    "  snapshot   send everything written so far; with policy=ring, what was kept\n"
    "  set        change options while the guest runs: policy, what is traced (pt.os, pt.user, pt.cr3,\n"
    "             pt.range0 to pt.range3), pt.branches, pt.branch, pt.ptwrite, pt.retc, pt.psb, pt.tsc,\n"
    "             pt.mtc, pt.cyc, pt.flush\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 the machine refused or did not answer.\n";

#define MAX_WORDS 64u

/* The words end with a NULL, or after MAX_WORDS - 1. */
static bool join_words(char *line, size_t size, const char *const *words)
{
    size_t used = 0;
    for (size_t i = 0; i < MAX_WORDS - 1 && words[i]; i++)
        used += (size_t)snprintf(line + used, used < size ? size - used : 0, "%s%s", i ? " " : "", words[i]);
    if (used + 2 > size)
        return false;
    line[used] = '\n';
    line[used + 1] = 0;
    return true;
}

static int open_control(const char *directory)
{
    struct sockaddr_un address;
    int dir = control_address(&address, directory);
    int fd = dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        int reason = errno;
        close(fd);
        errno = reason;
        fd = -1;
    }
    if (fd < 0)
        message_errno("control: %s/" CONTROL_SOCKET ": no receiver listens there", directory);
    if (dir >= 0)
        close(dir);
    return fd;
}

/* Do the answers confirm the command? Each has a line "result". */
static bool all_done(struct record_text answers)
{
    struct text_line line;
    size_t position = 0, results = 0;
    while (text_next(&line, answers, &position)) {
        if (!text_equals(line.name, "result"))
            continue;
        results++;
        if (!text_equals(line.value, "ok"))
            return false;
    }
    return results > 0;
}

/* Lines of the machine, which a terminal must not interpret. */
static void print_part(const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        const size_t line = end ? (size_t)(end - bytes) - at : size - at;
        text_write_plain(stdout, (struct record_text){bytes + at, line});
        if (end)
            putchar('\n');
        at += line + (end != NULL);
    }
}

/* Print the answers of all CPUs. Returns whether they confirm the command. */
static bool print_answers(int fd)
{
    char *text = NULL, part[4096];
    size_t used = 0;
    ssize_t size;
    FILE *answers = open_memstream(&text, &used);
    while (answers && (size = recv(fd, part, sizeof(part), 0)) > 0) {
        print_part(part, (size_t)size);
        fflush(stdout);
        fwrite(part, 1, (size_t)size, answers);
    }
    bool done = answers && fclose(answers) == 0 && all_done((struct record_text){text, used});
    if (used == 0)
        message_print("control: no answer: the receiver has ended");
    free(text);
    return done;
}

/* The command's words follow the capture. Returns ARGUMENTS_GOOD or the exit status. */
static int parse_arguments(const char **words, int argc, char **argv)
{
    const struct syntax syntax = {"control", usage, NULL, 0, 2, 0};
    const int status = arguments_parse_list(&syntax, argc, argv, words, MAX_WORDS);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!command_opcode_of(words[1])) {
        message_print("control: unknown command '%s'; choose from status, pause, resume, snapshot, set", words[1]);
        return 1;
    }
    return ARGUMENTS_GOOD;
}

int command_control(int argc, char **argv)
{
    const char *words[MAX_WORDS];
    char line[COMMAND_TEXT_MAX + 16];
    const int status = parse_arguments(words, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!join_words(line, sizeof(line), words + 1)) {
        message_print("control: the command is longer than %u bytes", COMMAND_TEXT_MAX);
        return 1;
    }
    int fd = open_control(words[0]);
    if (fd < 0)
        return 1;
    bool done = send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) && print_answers(fd);
    close(fd);
    return done ? 0 : 2;
}
