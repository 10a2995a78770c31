/* undertrace receive: store a stream from the wire as a capture. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/key_file.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/live.h"
#include "decode/cli/text/progress.h"
#include "decode/cli/text/reception_text.h"
#include "decode/receive/receive_uart.h"
#include "decode/receive/receive_udp.h"
#include "decode/receive/store_resume.h"

static const char usage[] =
    "usage: undertrace receive (--udp PORT | --uart SOURCE) -o DIRECTORY [options]\n"
    "\n"
    "Receives the stream of a machine that runs under Undertrace, and stores it as a capture.\n"
    "\n"
    "  --udp PORT          receive datagrams at this UDP port (the hypervisor's net.port, default 21845)\n"
    "  --bind ADDRESS      listen on this local address only\n"
    "  --announce          broadcast this receiver's address on all networks of this host until the first\n"
    "                      frame arrives; for hypervisors with net.peer=announce\n"
    "  --announce-to ADDRESS[:PORT]\n"
    "                      the same, but only to this address\n"
    "  --key FILE          accept only frames of a machine that has the same key (the hypervisor's option\n"
    "                      key=); FILE has its 32 hexadecimal digits\n"
    "  --uart SOURCE       receive from a serial line: a terminal device, a growing file, a FIFO, a UNIX\n"
    "                      socket, HOST:PORT of a TCP server, or - for standard input\n"
    "  --baud N            speed of the terminal device (default: 115200)\n"
    "  -o, --output DIRECTORY\n"
    "                      where the capture is stored; a directory that is empty or does not exist, or\n"
    "                      one whose receiver ended before the stream: the reception continues there\n"
    "  --timeout S         give up after S seconds without a frame (default: never)\n"
    "  --limit SIZE        stop when the capture has this many bytes (K, M, G, T: powers of 1024)\n"
    "  --wait-for-space    when the disk is full, wait until there is room, instead of ending\n"
    "  --linger S          over UDP: answer repeated frames for S seconds after the end (default: 1)\n"
    "  --status FILE       keep the state in FILE as JSON\n"
    "  --console FILE      show the last line of FILE, the guest's console\n"
    "  --decode            decode the trace as it arrives; the progress line shows the number of\n"
    "                      branches, the bytes not decoded yet, and where each CPU is\n"
    "  --symbols FILE      with --decode: names from a file like System.map or /proc/kallsyms\n"
    "  --quiet             print no progress lines\n"
    "\n"
    "Exit status: 0 the end record of each CPU arrived and nothing before it is missing; 1 an error;\n"
    "2 reception stopped before the end, bytes were lost, or the hypervisor gave up tracing because no\n"
    "receiver answered: the capture is readable, and records what is missing.\n";

#define SPACE_MILLISECONDS 200 /* between two attempts to write to a full disk */

struct arguments {
    const char *bind, *announce_to, *uart, *directory, *status, *console, *symbols, *key;
    uint64_t port, baud, limit;
    double timeout, linger;
    bool quiet, decode, announce, wait_for_space;
};

static volatile sig_atomic_t stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = 1;
}

/* Context of show_reception. */
struct watch {
    struct progress *progress;
    const struct reception *reception;
    struct live *live; /* NULL: without --decode */
    const char *directory, *symbols;
    struct reception_said said;
};

static void show_reception(void *context, enum reception_phase phase, const struct store_totals *totals)
{
    struct watch *watch = context;
    if (watch->live && watch->said.replaced != watch->reception->replaced) { /* the files are others */
        live_end(watch->live, false);
        watch->live = live_start(watch->directory, watch->symbols);
    }
    reception_text_others(&watch->said, watch->reception);
    if (watch->live)
        progress_note(watch->progress, live_text(watch->live, totals));
    progress_show(watch->progress, phase, totals);
}

static bool wait_for_space(void *context, int reason)
{
    struct watch *watch = context;
    reception_text_full(&watch->said, watch->directory, reason);
    poll(NULL, 0, SPACE_MILLISECONDS);
    return !stop_asked;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* Let a write beyond the file size limit fail like one to a full disk. */
    signal(SIGXFSZ, SIG_IGN);
}

/* Check the combination of options. Returns ARGUMENTS_GOOD, or 1 after a message. */
static int check_arguments(const struct arguments *a)
{
    const bool udp = a->port != ARGUMENT_NOT_GIVEN;
    if (!a->directory)
        message_print("receive: -o DIRECTORY is required; see undertrace receive --help");
    else if (udp == (a->uart != NULL))
        message_print("receive: give exactly one of --udp PORT and --uart SOURCE");
    else if (a->symbols && !a->decode)
        message_print("receive: --symbols requires --decode");
    else if (!udp && (a->announce || a->announce_to))
        message_print("receive: --announce and --announce-to require --udp");
    else if (!udp && a->key)
        message_print("receive: --key requires --udp: frames on a serial line are not authenticated");
    else if (udp && a->port == 0)
        message_print("receive: --udp: '0' is not a port from 1 to 65535");
    else
        return ARGUMENTS_GOOD;
    return 1;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    const struct argument options[] = {
        {"udp", ARGUMENT_NUMBER, &a->port, 65535},
        {"bind", ARGUMENT_TEXT, &a->bind, 0},
        {"key", ARGUMENT_TEXT, &a->key, 0},
        {"uart", ARGUMENT_TEXT, &a->uart, 0},
        {"baud", ARGUMENT_NUMBER, &a->baud, UINT32_MAX},
        {"timeout", ARGUMENT_SECONDS, &a->timeout, 0},
        {"limit", ARGUMENT_SIZE, &a->limit, 0},
        {"wait-for-space", ARGUMENT_FLAG, &a->wait_for_space, 0},
        {"linger", ARGUMENT_SECONDS, &a->linger, 0},
        {"status", ARGUMENT_TEXT, &a->status, 0},
        {"console", ARGUMENT_TEXT, &a->console, 0},
        {"quiet", ARGUMENT_FLAG, &a->quiet, 0},
        {"o", ARGUMENT_TEXT, &a->directory, 0},
        {"output", ARGUMENT_TEXT, &a->directory, 0},
        {"decode", ARGUMENT_FLAG, &a->decode, 0},
        {"symbols", ARGUMENT_TEXT, &a->symbols, 0},
        {"announce", ARGUMENT_FLAG, &a->announce, 0},
        {"announce-to", ARGUMENT_TEXT, &a->announce_to, 0},
    };
    const struct syntax syntax = {"receive", usage, options, sizeof(options) / sizeof(options[0]), 0, 0};
    *a = (struct arguments){.port = ARGUMENT_NOT_GIVEN, .baud = 115200, .linger = 1};
    const int status = arguments_parse(&syntax, argc, argv, NULL);
    return status == ARGUMENTS_GOOD ? check_arguments(a) : status;
}

static int finish_reception(struct reception *reception, enum reception_outcome outcome, struct watch *watch,
                            const char *directory)
{
    const struct store_totals *totals = store_totals(reception->store);
    store_settle(reception->store);
    if (!reception_commit(reception))
        outcome = RECEPTION_FAILED;
    bool lost = totals->lost_trace_bytes || totals->lost_record_bytes || totals->misplaced || totals->cuts;
    reception_text_others(&watch->said, reception);
    progress_end(watch->progress, outcome == RECEPTION_ENDED ? "ended" : "stopped", totals);
    if (outcome == RECEPTION_FAILED)
        error_print(reception->error.kind ? &reception->error : store_error(reception->store));
    reception_text_losses(reception);
    reception_text_outcome(reception, outcome, lost, directory);
    control_close(reception->control);
    const bool kept = reception->frames.started;
    if (kept)
        store_close(reception->store);
    else
        store_discard(reception->store);
    if (watch->live)
        live_end(watch->live, kept);
    reception_free(reception);
    return outcome == RECEPTION_FAILED ? 1 : outcome == RECEPTION_ENDED && !lost ? 0 : 2;
}

/* Can the reception be resumed with these options? false: a message says why not. */
static bool fits(const struct resume_point *point, const struct arguments *a)
{
    const char *why = NULL;
    if (point->started && point->serial != (a->uart != NULL))
        why = point->serial ? "was received from a serial line: resume it with --uart"
                            : "was received over UDP: resume it with --udp";
    else if (point->keyed && !a->key)
        why = "was received with a key: give the same --key";
    else if (point->started && !point->keyed && a->key)
        why = "was received without a key: resume it without --key";
    if (why)
        message_print("receive: %s: %s", a->directory, why);
    return why == NULL;
}

/* Close the store after an error: remove the files if they are new. */
static void drop_store(struct reception *reception, bool unfinished)
{
    if (reception->store && unfinished)
        store_abandon(reception->store);
    else if (reception->store)
        store_discard(reception->store);
}

/* Create the capture's directory and its control socket, or resume a capture that is not finished. false: a message
 * says why not, and nothing new is left. */
static bool make_capture(struct reception *reception, const struct arguments *a, struct resume_point *point)
{
    const bool unfinished = store_is_unfinished(a->directory);
    reception->store = unfinished ? store_resume(a->directory, point, &reception->error)
                                  : store_create(a->directory, &reception->error);
    bool good = reception->store && fits(point, a);
    if (good)
        reception->control = control_open(a->directory, &reception->error);
    if (reception->error.kind)
        error_print(&reception->error);
    good = good && reception->control && (!a->status || output_spares(a->status, a->directory));
    if (good)
        return true;
    if (reception->control)
        control_close(reception->control);
    drop_store(reception, unfinished);
    return false;
}

/* Read the key. false: a message says what failed. */
static bool set_key(struct reception *reception, const char *name)
{
    static struct session session;
    struct siphash_key key;
    if (!key_file_read(&key, name))
        return false;
    reception->session = &session;
    if (session_init(&session, &key))
        return true;
    message_print("receive: --key: the system has no random numbers");
    return false;
}

int command_receive(int argc, char **argv)
{
    struct arguments a;
    static struct reception reception;
    static struct watch watch;
    struct resume_point point = {.started = false};
    int status = parse_arguments(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    bool udp = a.uart == NULL;
    reception.timeout_seconds = a.timeout;
    reception.limit_bytes = a.limit;
    if (a.key && !set_key(&reception, a.key))
        return 1;
    reception.linger_seconds = udp ? a.linger : 0;
    reception.stop = &stop_asked;
    reception.announce = a.announce || a.announce_to;
    reception.announce_to = a.announce_to;
    watch = (struct watch){.progress = progress_start(a.status, a.console, a.quiet),
                           .reception = &reception,
                           .directory = a.directory,
                           .symbols = a.symbols};
    if (!watch.progress)
        return 1;
    reception.progress = show_reception;
    reception.progress_context = &watch;
    catch_signals();
    if (!make_capture(&reception, &a, &point))
        return 1;
    if (a.decode && !(watch.live = live_start(a.directory, a.symbols))) {
        control_close(reception.control);
        drop_store(&reception, point.started);
        return 1;
    }
    if (a.wait_for_space)
        store_on_full(reception.store, wait_for_space, &watch);
    reception_init(&reception, !udp);
    reception_resume(&reception, &point);
    reception_text_resumed(&reception, a.directory);
    enum reception_outcome outcome =
        udp ? receive_udp(&reception, a.bind, (uint16_t)a.port) : receive_uart(&reception, a.uart, (uint32_t)a.baud);
    return finish_reception(&reception, outcome, &watch, a.directory);
}
