/* undertrace serve: the page from a local HTTP server, which has the details that a page cannot hold. */
#include <signal.h>
#include <stdio.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/serve/answers.h"
#include "decode/cli/text/error_text.h"

static const char usage[] =
    "usage: undertrace serve CAPTURE [options]\n"
    "\n"
    "Serves the page of undertrace page over HTTP, for a browser on this machine, and prints its address. Where\n"
    "the page has merged calls, it asks for the visible time, down to single calls; its list has calls, branches\n"
    "and instructions as undertrace trace prints them. The address contains a random token; requests without it\n"
    "are refused. Ctrl-C ends the server.\n"
    "\n"
    "  --port N            the TCP port (default: any free one)\n"
    "  --listen ADDRESS    the IP address (default: 127.0.0.1). Others than this machine's loopback addresses let\n"
    "                      other machines read the trace, unencrypted: prefer a tunnel (ssh -L)\n"
    "  --no-token          an address without a token: every user of this machine can read the trace\n" WINDOW_USAGE
    "  --cpu N             only this CPU (default: all)\n" PROCESS_USAGE
    "  --most N            at most N calls at a time (default: 600000); shorter ones are merged into their callers\n"
    "  --ways N            keep the N largest paths of the call tree (default: 250000)\n" NAMES_USAGE
    "  --threads N         use N threads (default: one for each processor)\n"
    "\n"
    "Exit status: 0 ended by Ctrl-C or SIGTERM; 1 an error; 2 the same as 0, but parts of the trace are missing,\n"
    "damaged, or could not be decoded.\n";

/* Wait for Ctrl-C. The server's threads must not take the signal, so it is blocked before they start. */
static void wait_for_end(const sigset_t *ends)
{
    int number;
    sigwait(ends, &number);
    sigprocmask(SIG_UNBLOCK, ends, NULL); /* a second one ends the program at once */
}

static bool run(struct server *server, const char *address)
{
    struct error error = {0};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    if (!server_start(server, &error)) {
        error_print(&error);
        return false;
    }
    if (!server_is_loopback(server))
        message_print("serve: --listen %s: other machines can reach this server, and what it sends is not encrypted",
                      address);
    puts(server_url(server));
    fflush(stdout);
    message_print("serve: open this address in a browser; Ctrl-C ends the server");
    wait_for_end(&ends);
    return true;
}

static int serve(const struct serve_options *options, struct answers *answers)
{
    struct error error = {0};
    int status = 1;
    struct server *server = server_open(options, &error);
    if (!server)
        error_print(&error);
    else if (answers_open(answers, &status) && !run(server, options->address))
        status = 1;
    server_close(server);
    answers_close(answers);
    return status;
}

int command_serve(int argc, char **argv)
{
    static struct export_options o = {.cpu = ARGUMENT_NOT_GIVEN, .most = 600000};
    static struct answers answers = {.options = &o, .ways = 250000};
    struct serve_options serving = {.address = "127.0.0.1", .nr_routes = answers_nr_routes, .context = &answers};
    uint64_t port = 0;
    const struct argument options[] = {{"port", ARGUMENT_NUMBER, &port, UINT16_MAX},
                                       {"listen", ARGUMENT_TEXT, &serving.address, 0},
                                       {"no-token", ARGUMENT_FLAG, &serving.no_token, 0},
                                       {"time", ARGUMENT_TEXT, &o.time, 0},
                                       ARGUMENT_CPU(&o.cpu),
                                       {"process", ARGUMENT_TEXT, &o.process, 0},
                                       {"most", ARGUMENT_NUMBER, &o.most, 100000000},
                                       {"ways", ARGUMENT_NUMBER, &answers.ways, 100000000},
                                       NAMES_OPTIONS(&o.names),
                                       ARGUMENT_THREADS(&o.threads)};
    const struct syntax syntax = {"serve", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &o.capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!server_is_there()) {
        message_print(
            "serve: this undertrace was built without libmicrohttpd; install libmicrohttpd-dev and rebuild it, "
            "or use undertrace page");
        return 1;
    }
    serving.port = (uint16_t)port;
    serving.routes = answers_routes;
    return serve(&serving, &answers);
}
