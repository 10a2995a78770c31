/* undertrace gdb: gdb's remote serial protocol over a trace. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/gdb/session.h"
#include "decode/cli/gdb/unwind_script.h"
#include "decode/cli/message.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/text/error_text.h"

static const char usage[] =
    "usage: undertrace gdb CAPTURE [options]\n"
    "       undertrace gdb --script\n"
    "\n"
    "Serves gdb's remote serial protocol over a trace, on standard input and output:\n"
    "\n"
    "  undertrace gdb --script >>~/.gdbinit\n"
    "  gdb vmlinux -ex 'target remote | undertrace gdb CAPTURE'\n"
    "\n"
    "Each CPU is a thread, with a position of its own, which step, next, finish, continue and breakpoints\n"
    "move forwards, their reverse forms backwards. Memory is the captured code as it was at that moment.\n"
    "Registers other than RIP, and data, are not in a trace: gdb shows them as unavailable. backtrace, up,\n"
    "next and finish need the script, which shows gdb the call stacks of the trace. monitor time prints\n"
    "the time.\n"
    "\n"
    "  --script            print the script, and do nothing else\n"
    "  --time T            begin at this time: seconds since the first TSC (1.5), or ticks (1000t)\n"
    "  --cpu N             select this CPU first (default: 0)\n"
    "  --port N            listen on this TCP port of the loopback address, for one connection; 0: any\n"
    "                      free port\n" QUERY_USAGE "\n"
    "Exit status: 0 gdb has ended the session; 1 an error; 2 parts of the trace are missing or damaged.\n";

struct arguments {
    struct query_options query;
    const char *capture, *time;
    uint64_t cpu, port;
    bool script;
};

/* Wait for one connection. -1: a message says why there is none. */
static int accept_one(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    int connection = -1;
    if (listener >= 0 && !setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
        !bind(listener, (const struct sockaddr *)&address, sizeof(address)) && !listen(listener, 1) &&
        !getsockname(listener, (struct sockaddr *)&address, &size)) {
        message_print("gdb: waiting at 127.0.0.1:%u", ntohs(address.sin_port));
        connection = accept(listener, NULL, NULL);
    }
    if (connection < 0)
        message_errno("gdb: --port %u: cannot accept a connection", port);
    if (listener >= 0)
        close(listener);
    return connection;
}

/* false: a message says that the time is invalid. */
static bool find_time(uint64_t *tsc, const struct indexed_capture *indexed, const char *word)
{
    const struct time_word_clock clock = {indexed->index.header->first_tsc, indexed->tsc_khz,
                                          indexed->index.header->first_tsc == 0};
    *tsc = 0;
    if (!word || time_word_parse(tsc, &clock, word, strlen(word)))
        return true;
    message_print("gdb: --time: '%s' is not a time in seconds (1.5) or in ticks since the first TSC (1000t)", word);
    return false;
}

/* Open each CPU that executed something, at the time. false: a message says why not, or that none did. */
static bool open_cpus(struct session *session, const struct arguments *a, uint64_t tsc)
{
    const struct capture *capture = session->indexed->capture;
    bool good = true;
    session->cpus = calloc(capture->nr_cpus + 1, sizeof(*session->cpus));
    for (unsigned cpu = 0; cpu < capture->nr_cpus && session->cpus && good; cpu++) {
        struct error error = {0};
        struct replay_cpu *replay = &session->cpus[session->nr_cpus];
        if (!capture->cpus[cpu].present)
            continue;
        if (!replay_open(replay, session->indexed, (uint16_t)cpu, &error)) {
            replay_close(replay);
            good = error.kind == ERROR_NONE;
            if (!good)
                error_print(&error);
            continue;
        }
        if (a->time)
            replay_seek(replay, tsc);
        if (cpu == a->cpu)
            session->current = session->nr_cpus;
        session->nr_cpus++;
    }
    if (good && session->nr_cpus == 0)
        message_print("gdb: %s: no instruction was decoded", capture->directory);
    return good && session->nr_cpus > 0;
}

static bool has_memory(const struct session *session)
{
    for (size_t i = 0; i < session->nr_cpus; i++)
        if (session->cpus[i].no_memory) {
            message_print("gdb: out of memory for the instructions of a stretch; some were left out");
            return false;
        }
    return true;
}

static int serve(struct session *session, const struct arguments *a)
{
    uint64_t tsc;
    if (!find_time(&tsc, session->indexed, a->time) || !open_cpus(session, a, tsc))
        return 1;
    const int missing = query_print_missing(session->indexed);
    session->rsp = (struct rsp){.in = STDIN_FILENO, .out = STDOUT_FILENO};
    if (a->port != ARGUMENT_NOT_GIVEN) {
        const int connection = accept_one((uint16_t)a->port);
        if (connection < 0)
            return 1;
        session->rsp.in = session->rsp.out = connection;
    }
    session_serve(session);
    if (session->rsp.in != STDIN_FILENO)
        close(session->rsp.in);
    return has_memory(session) ? missing : 1;
}

/* For gdb, which reads its own commands: with Python between them. */
static int print_script(void)
{
    printf("python\n%send\n", unwind_script);
    return 0;
}

int command_gdb(int argc, char **argv)
{
    static struct arguments a = {.port = ARGUMENT_NOT_GIVEN};
    static struct indexed_capture indexed;
    static struct session session = {.indexed = &indexed, .unwind.names = &a.query.names};
    const struct argument options[] = {{"time", ARGUMENT_TEXT, &a.time, 0},
                                       ARGUMENT_CPU(&a.cpu),
                                       {"port", ARGUMENT_NUMBER, &a.port, 65535},
                                       {"script", ARGUMENT_FLAG, &a.script, 0},
                                       QUERY_OPTIONS(&a.query)};
    const struct syntax syntax = {"gdb", usage, options, sizeof(options) / sizeof(options[0]), 1, 1};
    int status = arguments_parse(&syntax, argc, argv, &a.capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (a.script)
        return print_script();
    if (!a.capture) {
        message_print("gdb: CAPTURE is missing; see undertrace gdb --help");
        return 1;
    }
    if (!query_open(&indexed, a.capture, &a.query))
        return 1;
    session.unwind.threads = (unsigned)a.query.threads;
    status = serve(&session, &a);
    for (size_t i = 0; i < session.nr_cpus; i++)
        replay_close(&session.cpus[i]);
    free(session.cpus);
    unwind_close(&session.unwind);
    indexed_capture_close(&indexed);
    return status;
}
