#include "decode/cli/text/reception_text.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/report/number_text.h"

#define FULL_SECONDS 5.0        /* of writing, after which the next wait is announced again */
#define OTHER_BOOT_SECONDS 10.0 /* anyone can send frames with as many stream ids: at most one line in this time */

void reception_text_others(struct reception_said *said, const struct reception *reception)
{
    if (reception->other_version && !said->version) {
        message_print(
            "receive: ignoring frames of wire version %u: this program reads versions %u and %u; use the one that was "
            "built with the hypervisor",
            reception->other_version, FRAME_VERSION, FRAME_PACKED_VERSION);
        said->version = true;
    }
    if (reception->cannot_unpack && !said->unpack) {
        message_print("receive: ignoring frames of a machine that compresses: this undertrace was built without "
                      "liblz4; install liblz4-dev and rebuild it, or boot without net.compress= and uart.compress=");
        said->unpack = true;
    }
    if (reception->tagged && !said->tagged) {
        message_print(
            "receive: ignoring authenticated frames: the machine has a key=; give the same one by --key FILE");
        said->tagged = true;
    }
    if (reception->session && reception->session->refused && !said->refused) {
        message_print(
            "receive: ignoring frames that were not made with this key: the machine has another key= or none, "
            "or another sender is here");
        said->refused = true;
    }
    if (reception->replaced != said->replaced) {
        message_print("receive: stream %08x, which came first, does not react to acknowledgements, but stream %08x "
                      "does: the capture begins again with that",
                      reception->other_stream_id, reception->frames.stream_id);
        said->replaced = reception->replaced;
    }
    if (reception->began_before && !said->began_before) {
        message_print("receive: stream %08x began before this receiver: its first frames were acknowledged by another "
                      "one. To receive the rest, resume that one's capture: give its directory by -o",
                      reception->frames.stream_id);
        said->began_before = true;
    }
    const double now = monotonic_seconds();
    if (reception->other_boot &&
        (!said->boot || (said->stream_id != reception->other_stream_id && now - said->boot_at >= OTHER_BOOT_SECONDS))) {
        message_print(
            "receive: ignoring frames of another boot (stream %08x; this capture is stream %08x): the machine "
            "was restarted, or another machine sends here; receive that into another capture",
            reception->other_stream_id, reception->frames.stream_id);
        said->boot = true;
        said->boot_at = now;
        said->stream_id = reception->other_stream_id;
    }
}

void reception_text_resumed(const struct reception *reception, const char *directory)
{
    const struct store_totals *totals = store_totals(reception->store);
    char trace[COUNTED_TEXT_SIZE], records[COUNTED_TEXT_SIZE];
    if (reception->frames.started)
        message_print("%s: resuming stream %08x after %s and %s", directory, reception->frames.stream_id,
                      counted_text(trace, totals->trace_bytes, "trace byte", "trace bytes"),
                      counted_text(records, totals->records, "record", "records"));
}

void reception_text_full(struct reception_said *said, const char *directory, int reason)
{
    const double now = monotonic_seconds();
    if (said->full_at == 0 || now - said->full_at > FULL_SECONDS)
        message_print("%s: %s: waiting for room; nothing is lost as long as the machine waits (net.stall=), and Ctrl-C "
                      "ends the receiver",
                      directory, strerror(reason));
    said->full_at = now;
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

void reception_text_losses(const struct reception *reception)
{
    const struct store_totals *totals = store_totals(reception->store);
    const struct reassemble_counts *counts = &reception->frames.counts;
    char text[COUNTED_TEXT_SIZE], trace[COUNTED_TEXT_SIZE], records[COUNTED_TEXT_SIZE];
    say_cpus(totals);
    if (reception->garbage)
        message_print("receive: %s outside any frame", counted_text(text, reception->garbage, "byte", "bytes"));
    if (reception->session && reception->session->refused)
        message_print("ignored: %s without the tag that the key gives",
                      counted_text(text, reception->session->refused, "frame", "frames"));
    if (reception->bad_frames || counts->foreign || reception->strange)
        message_print("ignored: %s, %" PRIu64 " of another stream, %" PRIu64 " from another address",
                      counted_text(text, reception->bad_frames, "damaged frame", "damaged frames"), counts->foreign,
                      reception->strange);
    if (reception->bad_blocks)
        message_print("discarded: %s whose LZ4 block is not valid: the sender is faulty",
                      counted_text(text, reception->bad_blocks, "frame", "frames"));
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

/* A capture that is not finished: how the rest gets there. */
static void say_how_to_resume(const struct reception *reception, enum reception_outcome outcome)
{
    static const char *const first[] = {
        [RECEPTION_LIMIT] = "run the same command with a higher --limit",
        [RECEPTION_FAILED] = "remove the cause, and run the same command again",
    };
    const char *what =
        outcome == RECEPTION_LIMIT || outcome == RECEPTION_FAILED ? first[outcome] : "run the same command again";
    message_print("to resume: %s; %s", what,
                  reception->frames.in_order_only ? "what the line carries meanwhile becomes a gap"
                                                  : "the machine keeps what is not stored, and waits (net.stall=)");
}

void reception_text_outcome(const struct reception *reception, enum reception_outcome outcome, bool lost,
                            const char *directory)
{
    static const char *const words[] = {
        [RECEPTION_ENDED] = "complete",
        [RECEPTION_TIMEOUT] = "gave up before the end record: no frame arrived within --timeout",
        [RECEPTION_INTERRUPTED] = "interrupted before the end record",
        [RECEPTION_LIMIT] = "stopped before the end record: the capture has reached --limit",
        [RECEPTION_NEXT] = "the machine was started again before the end record",
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
    if (reception->frames.started && outcome != RECEPTION_ENDED && outcome != RECEPTION_NEXT)
        say_how_to_resume(reception, outcome);
}
