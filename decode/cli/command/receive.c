/* undertrace receive: store a stream from the wire as a capture. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/key_file.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/live.h"
#include "decode/cli/text/progress.h"
#include "decode/receive/receive_uart.h"
#include "decode/receive/receive_udp.h"
#include "decode/report/number_text.h"

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
    "                      where the capture is stored; a directory that is empty or does not exist\n"
    "  --timeout S         give up after S seconds without a frame (default: never)\n"
    "  --limit SIZE        stop when the capture has this many bytes (K, M, G, T: powers of 1024)\n"
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

struct arguments {
    const char *bind, *announce_to, *uart, *directory, *status, *console, *symbols, *key;
    uint64_t port, baud, limit;
    double timeout, linger;
    bool quiet, decode, announce;
};

static volatile sig_atomic_t stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = 1;
}

/* Context of show_reception; each warning is printed once. */
struct watch {
    struct progress *progress;
    const struct reception *reception;
    struct live *live; /* NULL: without --decode */
    bool said_version, said_boot, said_tagged, said_refused;
    uint32_t said_stream_id;
    double said_boot_at;
    unsigned said_replaced;
};

#define OTHER_BOOT_SECONDS 10.0 /* anyone can send frames with as many stream ids: at most one line in this time */

/* Warn about frames that do not belong to this capture. */
static void say_others(struct watch *watch)
{
    const struct reception *reception = watch->reception;
    if (reception->other_version && !watch->said_version) {
        message_print(
            "receive: ignoring frames of wire version %u: this program reads version %u; use the one that was "
            "built with the hypervisor",
            reception->other_version, FRAME_VERSION);
        watch->said_version = true;
    }
    if (reception->tagged && !watch->said_tagged) {
        message_print(
            "receive: ignoring authenticated frames: the machine has a key=; give the same one by --key FILE");
        watch->said_tagged = true;
    }
    if (reception->session && reception->session->refused && !watch->said_refused) {
        message_print(
            "receive: ignoring frames that were not made with this key: the machine has another key= or none, "
            "or another sender is here");
        watch->said_refused = true;
    }
    if (reception->replaced != watch->said_replaced) {
        message_print("receive: stream %08x, which came first, does not react to acknowledgements, but stream %08x "
                      "does: the capture begins again with that",
                      reception->other_stream_id, reception->frames.stream_id);
        watch->said_replaced = reception->replaced;
    }
    const double now = monotonic_seconds();
    if (reception->other_boot && (!watch->said_boot || (watch->said_stream_id != reception->other_stream_id &&
                                                        now - watch->said_boot_at >= OTHER_BOOT_SECONDS))) {
        message_print(
            "receive: ignoring frames of another boot (stream %08x; this capture is stream %08x): the machine "
            "was restarted, or another machine sends here; receive that into another capture",
            reception->other_stream_id, reception->frames.stream_id);
        watch->said_boot = true;
        watch->said_boot_at = now;
        watch->said_stream_id = reception->other_stream_id;
    }
}

static void show_reception(void *context, enum reception_phase phase, const struct store_totals *totals)
{
    struct watch *watch = context;
    say_others(watch);
    if (watch->live)
        progress_note(watch->progress, live_text(watch->live, totals));
    progress_show(watch->progress, phase, totals);
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

/* Print each CPU's stream, if there are several. */
static void say_cpus(const struct store_totals *totals)
{
    char bytes[COUNTED_TEXT_SIZE];
    for (unsigned cpu = 0; cpu < totals->nr_cpus && totals->nr_cpus > 1; cpu++)
        message_print("CPU %u: %s, %s", cpu,
                      counted_text(bytes, totals->cpus[cpu].trace_bytes, "trace byte", "trace bytes"),
                      totals->cpus[cpu].ended ? "ended" : "no end record");
}

/* Print what was lost or damaged. */
static void say_losses(const struct reception *reception)
{
    const struct store_totals *totals = store_totals(reception->store);
    const struct reassemble_counts *counts = &reception->frames.counts;
    char text[COUNTED_TEXT_SIZE], trace[COUNTED_TEXT_SIZE], records[COUNTED_TEXT_SIZE];
    if (reception->garbage)
        message_print("receive: %s outside any frame", counted_text(text, reception->garbage, "byte", "bytes"));
    if (reception->session && reception->session->refused)
        message_print("ignored: %s without the tag that the key gives",
                      counted_text(text, reception->session->refused, "frame", "frames"));
    if (reception->bad_frames || counts->foreign || reception->strange)
        message_print("ignored: %s, %" PRIu64 " of another stream, %" PRIu64 " from another address",
                      counted_text(text, reception->bad_frames, "damaged frame", "damaged frames"), counts->foreign,
                      reception->strange);
    if (totals->misplaced)
        message_print("discarded: %s at offsets that no gap explains; the first belongs to CPU %u, at offset %" PRIu64
                      " of its stream, where %" PRIu64 " was expected: the sender is faulty",
                      counted_text(text, totals->misplaced, "frame", "frames"), totals->first_misplaced.cpu,
                      totals->first_misplaced.offset, totals->first_misplaced.due);
    if (totals->lost_trace_bytes || totals->lost_record_bytes || counts->lost)
        message_print("lost on the wire: %s, %s, %s", counted_text(text, counts->lost, "frame", "frames"),
                      counted_text(trace, totals->lost_trace_bytes, "trace byte", "trace bytes"),
                      counted_text(records, totals->lost_record_bytes, "record byte", "record bytes"));
    if (totals->cuts)
        message_print(
            "tracing ended before the guest: the channel accepted nothing for net.stall= or uart.stall= seconds");
    if (totals->sleeps)
        message_print("the guest put the machine to sleep: what runs after it wakes is not traced");
}

/* Print the outcome, in one line. */
static void say_outcome(const struct reception *reception, enum reception_outcome outcome, bool lost,
                        const char *directory)
{
    static const char *const words[] = {
        [RECEPTION_ENDED] = "complete",
        [RECEPTION_TIMEOUT] = "gave up before the end record: no frame arrived within --timeout",
        [RECEPTION_INTERRUPTED] = "interrupted before the end record",
        [RECEPTION_LIMIT] = "stopped before the end record: the capture has reached --limit",
        [RECEPTION_SOURCE_END] = "the source ended before the end record",
        [RECEPTION_FAILED] = "failed; what was written before is a valid capture that ends there",
    };
    const uint64_t gaps = store_totals(reception->store)->gaps;
    char text[COUNTED_TEXT_SIZE];
    if (!reception->frames.started)
        message_print("%s: nothing was received, so no capture was kept", directory);
    else if (outcome == RECEPTION_ENDED && !lost && gaps)
        message_print("%s: ended; the trace has %s", directory, counted_text(text, gaps, "gap", "gaps"));
    else
        message_print("%s: %s", directory,
                      outcome == RECEPTION_ENDED && lost ? "ended, but bytes are missing" : words[outcome]);
}

static int finish_reception(struct reception *reception, enum reception_outcome outcome, struct watch *watch,
                            const char *directory)
{
    const struct store_totals *totals = store_totals(reception->store);
    store_settle(reception->store);
    if (!store_flush(reception->store))
        outcome = RECEPTION_FAILED;
    bool lost = totals->lost_trace_bytes || totals->lost_record_bytes || totals->misplaced || totals->cuts;
    say_others(watch);
    progress_end(watch->progress, outcome == RECEPTION_ENDED ? "ended" : "stopped", totals);
    if (outcome == RECEPTION_FAILED)
        error_print(reception->error.kind ? &reception->error : store_error(reception->store));
    say_cpus(totals);
    say_losses(reception);
    say_outcome(reception, outcome, lost, directory);
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

/* Create the capture's directory and its control socket. false: a message says why, and nothing is left. */
static bool make_capture(struct reception *reception, const struct arguments *a)
{
    reception->store = store_create(a->directory, &reception->error);
    if (reception->store)
        reception->control = control_open(a->directory, &reception->error);
    bool good = reception->control && (!a->status || output_spares(a->status, a->directory));
    if (good)
        return true;
    if (!reception->control)
        error_print(&reception->error);
    else
        control_close(reception->control);
    if (reception->store)
        store_discard(reception->store);
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
    watch = (struct watch){.progress = progress_start(a.status, a.console, a.quiet), .reception = &reception};
    if (!watch.progress)
        return 1;
    reception.progress = show_reception;
    reception.progress_context = &watch;
    catch_signals();
    if (!make_capture(&reception, &a))
        return 1;
    if (a.decode && !(watch.live = live_start(a.directory, a.symbols))) {
        control_close(reception.control);
        store_discard(reception.store);
        return 1;
    }
    reception_init(&reception, !udp);
    enum reception_outcome outcome =
        udp ? receive_udp(&reception, a.bind, (uint16_t)a.port) : receive_uart(&reception, a.uart, (uint32_t)a.baud);
    return finish_reception(&reception, outcome, &watch, a.directory);
}
