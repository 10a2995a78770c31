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
    "             pt.mtc, pt.cyc\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 the machine refused or did not answer.\n";

static bool join_words(char *line, size_t size, int argc, char **argv)
{
    size_t used = 0;
    for (int i = 0; i < argc; i++)
        used += (size_t)snprintf(line + used, used < size ? size - used : 0, "%s%s", i ? " " : "", argv[i]);
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

/* Print the answers of all CPUs. Returns whether they confirm the command. */
static bool print_answers(int fd)
{
    char *text = NULL, part[4096];
    size_t used = 0;
    ssize_t size;
    FILE *answers = open_memstream(&text, &used);
    while (answers && (size = recv(fd, part, sizeof(part), 0)) > 0) {
        fwrite(part, 1, (size_t)size, stdout);
        fflush(stdout);
        fwrite(part, 1, (size_t)size, answers);
    }
    bool done = answers && fclose(answers) == 0 && all_done((struct record_text){text, used});
    if (used == 0)
        message_print("control: no answer: the receiver has ended");
    free(text);
    return done;
}

int command_control(int argc, char **argv)
{
    char line[COMMAND_TEXT_MAX + 16];
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], ARGUMENTS_COMPLETE)) {
        puts("--help");
        return 0;
    }
    if (argc < 3 || !command_opcode_of(argv[2])) {
        fputs(usage, stderr);
        return 1;
    }
    if (!join_words(line, sizeof(line), argc - 2, argv + 2)) {
        message_print("control: the command is longer than %u bytes", COMMAND_TEXT_MAX);
        return 1;
    }
    int fd = open_control(argv[1]);
    if (fd < 0)
        return 1;
    bool done = send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) && print_answers(fd);
    close(fd);
    return done ? 0 : 2;
}
