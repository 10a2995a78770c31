/*
 * A capture once more on the wire: its bytes as frames over UDP, in the order in which they came about, as fast as the
 * receiver acknowledges them or at a given rate. docs/wire.md says what a sender does; nothing is lost on the loopback
 * device, so that what is missing is simply sent again.
 *
 * usage: frames_send CAPTURE PORT [MB_A_SECOND]      prints seconds, trace bytes, MB/s, frames, of which sent again
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "decode/capture/capture.h"
#include "decode/capture/monotonic.h"
#include "decode/capture/record_stream.h"
#include "decode/cli/text/error_text.h"
#include "serial/wire/frame.h"

#define WINDOW 1024u /* frames on the way, at most */
#define PAYLOAD 8900u
#define ASK_EVERY 16u
#define PATIENCE_MILLISECONDS 200
#define MOST_PATIENCE 100u

struct frame {
    struct frame_header header;
    const uint8_t *payload;
};

struct sender {
    int fd;
    uint32_t stream_id, first, next; /* frames first to next are on the way */
    struct frame frames[WINDOW];
    uint64_t offsets[CAPTURE_MAX_CPUS][2]; /* what has been sent of each stream, by kind: 0 trace, 1 records */
    uint64_t trace_bytes, nr_frames, again;
    double start, rate; /* rate: bytes a second; 0: as fast as it goes */
};

static void send_frame(struct sender *sender, uint32_t seq, bool ask)
{
    struct frame *frame = &sender->frames[seq % WINDOW];
    frame->header.flags = ask ? FRAME_ACK_REQUEST : 0;
    frame_seal(&frame->header, frame->payload);
    struct iovec parts[] = {{&frame->header, sizeof(frame->header)},
                            {(void *)(uintptr_t)frame->payload, frame->header.length}};
    if (writev(sender->fd, parts, 2) < 0)
        poll(NULL, 0, 1); /* no listener yet, or no room: it is sent again */
}

/* Take what acknowledgements have come; wait for one if wanted. */
static void take_acks(struct sender *sender, bool wait)
{
    static unsigned in_vain;
    uint8_t bytes[FRAME_HEADER_SIZE + sizeof(struct frame_ack)];
    struct frame_header header;
    struct pollfd poller = {.fd = sender->fd, .events = POLLIN};
    const uint32_t before = sender->first;
    if (wait)
        poll(&poller, 1, PATIENCE_MILLISECONDS);
    for (ssize_t size; (size = recv(sender->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0;)
        if (frame_parse(&header, bytes, (size_t)size) == FRAME_OK && header.kind == FRAME_ACK &&
            header.seq - sender->first <= sender->next - sender->first)
            sender->first = header.seq;
    in_vain = sender->first != before ? 0 : in_vain + wait;
    if (in_vain > MOST_PATIENCE) {
        fprintf(stderr, "frames_send: no acknowledgement comes\n");
        exit(1);
    }
    if (!wait || sender->first != before || sender->first == sender->next)
        return;
    for (uint32_t seq = sender->first; seq != sender->next; seq++, sender->again++)
        send_frame(sender, seq, seq + 1 == sender->next);
}

/* Not before its time. */
static void keep_rate(const struct sender *sender)
{
    const double ahead =
        sender->rate > 0 ? sender->start + (double)sender->trace_bytes / sender->rate - monotonic_seconds() : 0;
    if (ahead > 0.001)
        nanosleep(&(struct timespec){.tv_sec = (time_t)ahead, .tv_nsec = (long)((ahead - (double)(time_t)ahead) * 1e9)},
                  NULL);
}

/* The next size bytes of a stream. */
static void send_bytes(struct sender *sender, uint16_t cpu, enum frame_kind kind, const uint8_t *bytes, uint64_t size)
{
    uint64_t *offset = &sender->offsets[cpu][kind == FRAME_RECORDS];
    while (size > 0) {
        const uint16_t part = (uint16_t)(size < PAYLOAD ? size : PAYLOAD);
        take_acks(sender, false);
        while (sender->next - sender->first == WINDOW)
            take_acks(sender, true);
        sender->frames[sender->next % WINDOW] = (struct frame){.header = {.kind = (uint8_t)kind,
                                                                          .cpu = cpu,
                                                                          .stream_id = sender->stream_id,
                                                                          .seq = sender->next,
                                                                          .offset = *offset,
                                                                          .length = part},
                                                               .payload = bytes};
        send_frame(sender, sender->next, sender->next % ASK_EVERY == 0);
        sender->next++;
        sender->nr_frames++;
        sender->trace_bytes += kind == FRAME_TRACE ? part : 0;
        *offset += part;
        bytes += part;
        size -= part;
        keep_rate(sender);
    }
}

/* Each record when the trace of its CPU has come so far, and has not gone much farther: the trace follows. */
static void send_all(struct sender *sender, const struct capture *capture)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        const uint16_t cpu = record->header.cpu;
        const struct capture_trace *trace = &capture->cpus[cpu];
        const uint64_t sent = sender->offsets[cpu][0];
        uint64_t upto = record->header.kind == RECORD_END ? trace->size : record->header.trace_offset;
        upto = upto < trace->size ? upto : trace->size;
        if (trace->present && upto > sent)
            send_bytes(sender, cpu, FRAME_TRACE, trace->bytes + sent, upto - sent);
        send_bytes(sender, cpu, FRAME_RECORDS, capture->events + record->events_offset,
                   record_size_bytes(&record->header));
    }
    while (sender->first != sender->next)
        take_acks(sender, true);
}

int main(int argc, char **argv)
{
    static struct sender sender;
    struct error error = {0};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct capture *capture = argc > 2 ? capture_open(argv[1], &error) : NULL;
    if (!capture) {
        if (argc > 2)
            error_print(&error);
        else
            fprintf(stderr, "usage: frames_send CAPTURE PORT [MB_A_SECOND]\n");
        return 2;
    }
    to.sin_port = htons((uint16_t)atoi(argv[2]));
    sender.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender.fd < 0 || connect(sender.fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        perror("frames_send: 127.0.0.1");
        return 1;
    }
    sender.stream_id = 0x5e9dca97;
    sender.rate = argc > 3 ? atof(argv[3]) * 1e6 : 0;
    sender.start = monotonic_seconds();
    send_all(&sender, capture);
    const double seconds = monotonic_seconds() - sender.start;
    printf("%.2f %" PRIu64 " %.1f %" PRIu64 " %" PRIu64 "\n", seconds, sender.trace_bytes,
           (double)sender.trace_bytes / 1e6 / seconds, sender.nr_frames, sender.again);
    capture_close(capture);
    return 0;
}
