/* undertrace receive: store a stream from the wire as a capture. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/key_file.h"
#include "decode/cli/options/receive_options.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/live.h"
#include "decode/cli/text/progress.h"
#include "decode/cli/text/reception_text.h"
#include "decode/receive/receive_uart.h"
#include "decode/receive/receive_udp.h"
#include "decode/receive/store_resume.h"

#define SPACE_MILLISECONDS 200 /* between two attempts to write to a full disk */

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
    struct live_options live_options;
    const char *directory;
    struct reception_said said;
};

static void show_reception(void *context, enum reception_phase phase, const struct store_totals *totals)
{
    struct watch *watch = context;
    if (watch->live && watch->said.replaced != watch->reception->replaced) { /* the files are others */
        live_leave(watch->live);
        live_end(watch->live, false);
        watch->live = live_start(&watch->live_options, watch->progress, watch->reception);
    }
    reception_text_others(&watch->said, watch->reception);
    if (watch->live)
        live_show(watch->live, totals);
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

/* Returns the exit status. */
static int finish_reception(struct reception *reception, enum reception_outcome outcome, struct watch *watch)
{
    const struct store_totals *totals = store_totals(reception->store);
    store_settle(reception->store);
    if (!reception_commit(reception))
        outcome = RECEPTION_FAILED;
    if (watch->live)
        live_leave(watch->live);
    bool lost = totals->lost_trace_bytes || totals->lost_record_bytes || totals->misplaced || totals->cuts;
    reception_text_others(&watch->said, reception);
    progress_end(watch->progress, outcome == RECEPTION_ENDED ? "ended" : "stopped", totals);
    if (outcome == RECEPTION_FAILED)
        error_print(reception->error.kind ? &reception->error : store_error(reception->store));
    reception_text_losses(reception);
    reception_text_outcome(reception, outcome, lost, watch->directory);
    control_close(reception->control);
    const bool kept = reception->frames.started;
    if (outcome == RECEPTION_NEXT)
        store_conclude(reception->store);
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
static bool fits(const struct resume_point *point, const struct receive_options *a, const char *directory)
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
        message_print("receive: %s: %s", directory, why);
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
static bool make_capture(struct reception *reception, const struct receive_options *a, struct watch *watch,
                         struct resume_point *point)
{
    const char *directory = watch->directory;
    const bool unfinished = store_is_unfinished(directory);
    reception->store =
        unfinished ? store_resume(directory, point, &reception->error) : store_create(directory, &reception->error);
    bool good = reception->store && fits(point, a, directory);
    if (good)
        reception->control = control_open(directory, &reception->error);
    if (reception->error.kind)
        error_print(&reception->error);
    good = good && reception->control && (!a->status || output_spares(a->status, directory)) &&
           (!a->decode || (watch->live = live_start(&watch->live_options, watch->progress, watch->reception)));
    if (good)
        return true;
    if (reception->control)
        control_close(reception->control);
    drop_store(reception, unfinished);
    return false;
}

/* Read the key. false: a message says what failed. */
static bool set_key(struct session *session, const struct receive_options *a)
{
    struct siphash_key key;
    if (!key_file_read(&key, a->key))
        return false;
    if (session_init(session, &key)) {
        session->follow = a->follow;
        return true;
    }
    message_print("receive: --key: the system has no random numbers");
    return false;
}

/* The end of one capture, and what the next one needs of it. */
struct ending {
    enum reception_outcome outcome;
    bool started;
    uint32_t stream_id;
    struct rival boot; /* the machine's next boot, if frames of it are present */
};

/* Receive one stream. ending: of the one before, if it was there; then of this one. Returns the exit status. */
static int receive_stream(const struct receive_options *a, struct session *session, const char *directory,
                          struct ending *ending)
{
    static struct reception reception;
    static struct watch watch;
    struct resume_point point = {.started = false};
    reception = (struct reception){.timeout_seconds = a->timeout,
                                   .limit_bytes = a->limit,
                                   .session = a->key ? session : NULL,
                                   .linger_seconds = a->uart ? 0 : a->linger,
                                   .stop = &stop_asked,
                                   .announce = a->announce || a->announce_to,
                                   .announce_to = a->announce_to,
                                   .first = a->first,
                                   .follow = a->follow,
                                   .has_past = ending->started,
                                   .past_stream_id = ending->stream_id,
                                   .progress = show_reception,
                                   .progress_context = &watch};
    watch = (struct watch){.progress = progress_start(a->status, a->console, a->quiet),
                           .reception = &reception,
                           .directory = directory,
                           .live_options = {directory, a->names, !a->no_screen && !a->quiet}};
    ending->outcome = RECEPTION_FAILED;
    if (!watch.progress || !make_capture(&reception, a, &watch, &point))
        return 1;
    if (a->wait_for_space)
        store_on_full(reception.store, wait_for_space, &watch);
    reception_init(&reception, a->uart != NULL);
    reception_resume(&reception, &point);
    reception_text_resumed(&reception, directory);
    if (ending->boot.present)
        reception_adopt(&reception, &ending->boot);
    ending->outcome = a->uart ? receive_uart(&reception, a->uart, (uint32_t)a->baud)
                              : receive_udp(&reception, a->bind, (uint16_t)a->port);
    ending->started = reception.frames.started;
    ending->stream_id = reception.frames.stream_id;
    if (reception.next) { /* its frames outlive this reception */
        ending->boot = *reception.next;
        *reception.next = (struct rival){0};
    }
    return finish_reception(&reception, ending->outcome, &watch);
}

/* The number of the next capture in a directory: after the last one, or that one if its reception can be resumed. */
static unsigned next_number(const char *parent, char *name, size_t size)
{
    unsigned number = 0;
    do
        snprintf(name, size, "%s/%u", parent, ++number);
    while (access(name, F_OK) == 0);
    snprintf(name, size, "%s/%u", parent, number - 1);
    return number > 1 && store_is_unfinished(name) ? number - 1 : number;
}

/* Receive one boot after the other, until the user or an error ends it. */
static int receive_boots(const struct receive_options *a, struct session *session)
{
    char name[4096];
    struct ending ending = {.started = false};
    int status = 0;
    if (mkdir(a->directory, 0777) != 0 && errno != EEXIST) {
        message_print("%s: cannot be created: %s", a->directory, strerror(errno));
        return 1;
    }
    do {
        snprintf(name, sizeof(name), "%s/%u", a->directory, next_number(a->directory, name, sizeof(name)));
        const int one = receive_stream(a, session, name, &ending);
        if (ending.started || one == 1)
            status = one == 1 || one > status ? one : status;
        if (a->key && !session_next(session))
            return 1;
    } while ((ending.outcome == RECEPTION_ENDED || ending.outcome == RECEPTION_NEXT) && !stop_asked);
    rival_free(&ending.boot);
    return status;
}

int command_receive(int argc, char **argv)
{
    struct receive_options a;
    static struct session session;
    struct ending ending = {.started = false};
    int status = receive_options_parse(&a, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (a.key && !set_key(&session, &a))
        return 1;
    catch_signals();
    return a.follow ? receive_boots(&a, &session) : receive_stream(&a, &session, a.directory, &ending);
}
