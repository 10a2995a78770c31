/* Kind: core, hot */
#include "serial/wire/flight.h"

#include "base/init.h"
#include "base/smaller.h"

#define LITTLE 16u /* part of the limit */

INIT_CODE void flight_init(struct flight *f, uint32_t frame_bytes, uint32_t max_bytes, uint64_t tsc_hz,
                           const struct window_memory *memory, uint64_t *released, uint32_t nr_streams)
{
    *f = (struct flight){.timeout_most = tsc_hz / 4};
    window_init(&f->window, memory, released, nr_streams);
    f->rtt = rtt_make(tsc_hz);
    f->pace = pace_make(frame_bytes, memory->size, max_bytes, tsc_hz);
    f->short_timeout = f->rtt.rto;
}

static bool is_little(const struct flight *f, uint32_t in_flight)
{
    return in_flight < f->pace.limit / LITTLE;
}

static struct flight_request *request_at(struct flight *f, uint32_t number)
{
    return &f->requests[number % FLIGHT_REQUESTS];
}

/* How long an answer may take: twice the time in which the wire carries what is in flight, by the throughput from
 * which the limit follows. */
static uint64_t answer_time(const struct flight *f, uint64_t in_flight)
{
    const uint64_t full = f->rtt.shortest + f->pace.queue_tsc;
    const uint64_t expected = f->rtt.srtt == 0 ? f->rtt.rto : f->rtt.shortest + in_flight * full / f->pace.limit;

    return smaller_of(f->rtt.rto, 2 * expected + f->rtt.granularity);
}

static void start_timer(struct flight *f, uint64_t now)
{
    uint64_t timeout = is_little(f, flight_bytes(f)) ? f->short_timeout : answer_time(f, flight_bytes(f));

    for (uint32_t i = 0; i < f->backoff && timeout < f->timeout_most; i++) {
        timeout *= 2;
    }
    f->is_waiting = true;
    f->deadline = now + timeout;
}

/* Is there a frame whose fate an answer should show, or should have shown? */
static bool is_uncertain(struct flight *f)
{
    return !window_empty(&f->window) && f->requested != 0 &&
           (flight_is_answer_due(f) || (int32_t)(f->window.base - request_at(f, f->requested - 1)->sent.next) < 0);
}

uint16_t flight_request(struct flight *f, uint64_t now)
{
    const uint32_t number = f->requested++;

    if (f->landed_bytes == request_at(f, number - 1)->sent_bytes) {
        f->since = now;
    }
    *request_at(f, number) = (struct flight_request){.sent = {f->window.next, window_transmissions(&f->window)},
                                                     .time = now,
                                                     .sent_bytes = f->sent_bytes,
                                                     .in_flight = flight_bytes(f),
                                                     .since = f->since,
                                                     .nr_lost = f->window.nr_lost};
    if (!f->is_waiting) {
        start_timer(f, now);
    }
    return (uint16_t)(number << 1 | FRAME_ACK_REQUEST);
}

static bool find_resend(struct flight *f, struct window_run *frame)
{
    if (f->probes == 0 && flight_room(f) == 0) {
        return false;
    }
    if (window_resend(&f->window, frame)) {
        return true;
    }
    if (f->probes == 0 || window_empty(&f->window)) {
        f->probes = 0;
        f->may_resend = false;
        return false;
    }
    *frame = window_repeat(&f->window, f->probes > 1);
    return true;
}

bool flight_resend(struct flight *f, struct window_run *frame)
{
    if (!find_resend(f, frame)) {
        return false;
    }
    f->probes -= f->probes > 0 ? 1 : 0;
    f->sent_bytes += frame->length;
    return true;
}

/* The request that an acknowledgement answers. NULL: it is too old, or has been answered, or the receiver has answered
 * a later one. */
static const struct flight_request *find_request(struct flight *f, uint16_t flags)
{
    const uint32_t age = (f->requested - FRAME_REQUEST_NUMBER(flags)) & FRAME_REQUEST_NUMBER(~0u);

    if (!(flags & FRAME_ACK_REQUEST) || age == 0 || age > FLIGHT_REQUESTS || age > f->requested - f->answered) {
        return NULL;
    }
    f->answered = f->requested - age + 1;
    return request_at(f, f->requested - age);
}

/* Of the bytes that were in flight at the request, those that are not lost: a queue that drops frames is not fast. */
static uint64_t arrived_bytes(const struct flight *f, const struct flight_request *request)
{
    const uint64_t lost = (uint64_t)(f->window.nr_lost - request->nr_lost) * f->pace.frame_bytes;

    return request->in_flight > lost ? request->in_flight - lost : 0;
}

static void measure(struct flight *f, const struct flight_request *request, uint64_t now)
{
    struct pace_answer answer = {
        .bytes = arrived_bytes(f, request), .since = request->since, .sent = request->time, .now = now};

    if ((int64_t)(now - request->time) < 0) { /* another CPU's clock is ahead */
        answer.now = request->time;
    }
    if ((int64_t)(answer.now - answer.since) < 0) {
        answer.since = answer.now;
    }
    rtt_sample(&f->rtt, answer.now - answer.sent);
    answer.shortest = f->rtt.shortest;
    pace_adapt(&f->pace, &answer);
    pace_count_losses(&f->pace, request->sent.transmissions, f->window.nr_lost);
    f->short_timeout = answer_time(f, f->pace.limit / LITTLE);
}

/* Would measuring change anything? While little is in flight, neither the limit nor the timeout matters, unless the
 * answer takes too long. */
static bool matters(const struct flight *f, const struct flight_request *request, uint64_t now)
{
    const uint64_t ticks = now - request->time;

    return !is_little(f, request->in_flight) || ticks >= f->rtt.rto || ticks < f->rtt.shortest ||
           request->nr_lost != f->window.nr_lost;
}

static void take_answer(struct flight *f, const struct flight_request *request, uint64_t now)
{
    f->landed_bytes = request->sent_bytes;
    if (matters(f, request, now)) {
        measure(f, request, now);
    }
    f->since = now;
    f->backoff = 0;
    f->probes = 0;
    f->may_resend = window_has_lost(&f->window);
    f->is_waiting = is_uncertain(f);
    if (f->is_waiting) {
        start_timer(f, now);
    }
}

bool flight_answer(struct flight *f, const struct frame_header *header, const struct frame_ack *ack, uint64_t now)
{
    const struct window_arrived arrived = {header->seq, header->length / 8u, ack};
    const struct flight_request *request;

    if (header->seq - f->window.base > f->window.next - f->window.base) {
        return false;
    }
    request = find_request(f, header->flags);
    window_ack(&f->window, &arrived, request ? &request->sent : NULL);
    if (request) {
        take_answer(f, request, now);
    }
    return true;
}

/* If all requests are answered, the frames that are missing were too young to be taken for lost. */
void flight_timeout(struct flight *f, uint64_t now)
{
    f->is_waiting = is_uncertain(f);
    if (!f->is_waiting) {
        return;
    }
    if (!flight_is_answer_due(f)) {
        window_lose(&f->window, &request_at(f, f->requested - 1)->sent);
    }
    f->nr_timeouts++;
    f->backoff++;
    f->probes = 2;
    f->may_resend = true;
    start_timer(f, now);
}
