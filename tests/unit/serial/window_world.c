#include "tests/unit/serial/window_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void wire_put(struct world *world, struct packet packet)
{
    uint32_t copies = random_below(100) < world->dup ? 2 : 1;

    for (; copies > 0; copies--) {
        if (random_below(100) < world->drop) {
            continue;
        }
        assert_true(world->nr_on_wire < MAX_ON_WIRE);
        packet.arrival = world->now + 10 + random_below(world->jitter + 1);
        world->wire[world->nr_on_wire++] = packet;
    }
}

/* Send the frame that the window describes, as retransmission does. */
static void send_frame(struct world *world, const struct window_run *frame, bool ack_requested)
{
    assert_int_equal(frame->frames, 1);
    assert_int_equal(frame->bytes, frame->length);
    assert_int_equal(frame->pa, 0x1000ull * (frame->stream + 1u) + frame->offset);
    wire_put(world, (struct packet){.flags = ack_requested ? flight_request(&world->flight, world->now) : 0,
                                    .seq = frame->first,
                                    .stream = frame->stream,
                                    .length = frame->length,
                                    .offset = frame->offset});
}

static void send_run(struct world *world, uint16_t stream, uint32_t nr_frames, bool ack_requested)
{
    const uint32_t full = 1 + random_below(1440), rest = 1 + random_below(full);
    struct window_run *run = window_push(world->window, nr_frames);

    run->offset = world->sent[stream];
    run->pa = 0x1000ull * (stream + 1u) + world->sent[stream];
    run->bytes = (nr_frames - 1) * full + rest;
    run->length = (uint16_t)(nr_frames == 1 ? rest : full);
    run->stream = stream;
    world->sent[stream] += run->bytes;
    world->flight.sent_bytes += run->bytes;
    for (uint32_t i = 0; i < nr_frames; i++) {
        struct window_run frame = window_frame(world->window, run->first + i);

        send_frame(world, &frame, ack_requested && i + 1 == nr_frames);
    }
}

void world_send(struct world *world, uint32_t nr_frames)
{
    const uint16_t stream = (uint16_t)random_below(NR_STREAMS);
    const bool lazy = random_below(4) == 0 && window_space(world->window) > WORLD_SIZE / 2;

    if (nr_frames > window_space(world->window)) {
        nr_frames = window_space(world->window);
    }
    for (; nr_frames > 64; nr_frames -= 64) {
        send_run(world, stream, 64, true);
    }
    if (nr_frames > 0) {
        send_run(world, stream, nr_frames, !lazy);
    }
}

/* From time to time, request the acknowledgement of frames without a request by sending one again. */
static void request_late(struct world *world)
{
    const struct flight *flight = &world->flight;
    const uint32_t all = flight->requests[(flight->requested - 1) % FLIGHT_REQUESTS].sent.next;
    struct window_run frame;

    if (!window_empty(world->window) && all != world->window->next && random_below(100) == 0) {
        flight_probe(&world->flight);
        assert_true(flight_resend(&world->flight, &frame));
        send_frame(world, &frame, true);
    }
}

static void retransmit(struct world *world)
{
    struct window_run frame, last;
    bool any = false;

    flight_polled(&world->flight, world->now);
    while (flight_resend(&world->flight, &frame)) {
        if (any) {
            send_frame(world, &last, false);
        }
        last = frame;
        any = true;
    }
    if (any) {
        send_frame(world, &last, true);
    } else if (!flight_is_answer_due(&world->flight)) {
        request_late(world);
    }
}

static void deliver(struct world *world, const struct packet *packet)
{
    assert_int_equal(packet->offset, world->delivered[packet->stream]);
    world->delivered[packet->stream] += packet->length;
    world->nr_delivered++;
    world->expected++;
}

static void answer(struct world *world, uint16_t flags)
{
    struct packet ack = {.is_ack = true, .flags = flags, .seq = world->expected};

    for (uint32_t i = 0; i < 64 * FRAME_ACK_WORDS; i++) {
        if (world->present[(world->expected + 1 + i) % 2048]) {
            ack.ack.received[i / 64] |= 1ull << i % 64;
        }
    }
    wire_put(world, ack);
}

void world_restart_receiver(struct world *world)
{
    memset(world->present, 0, sizeof(world->present));
}

static void receiver_take(struct world *world, const struct packet *packet)
{
    uint32_t ahead = packet->seq - world->expected;

    if (world->restarts > 0 && random_below(1000) < world->restarts) {
        world_restart_receiver(world);
    }
    if (ahead < world->hold && !world->present[packet->seq % 2048]) {
        world->present[packet->seq % 2048] = true;
        world->held[packet->seq % 2048] = *packet;
    }
    while (world->present[world->expected % 2048]) {
        uint32_t at = world->expected % 2048;

        world->present[at] = false;
        deliver(world, &world->held[at]);
    }
    if (packet->flags & FRAME_ACK_REQUEST) {
        answer(world, packet->flags);
    }
}

struct packet world_take(struct world *world, uint32_t i)
{
    struct packet packet = world->wire[i];

    world->nr_on_wire--;
    memmove(&world->wire[i], &world->wire[i + 1], (world->nr_on_wire - i) * sizeof(packet));
    return packet;
}

static void wire_step(struct world *world)
{
    for (uint32_t i = 0; i < world->nr_on_wire;) {
        struct packet packet;

        if (world->wire[i].arrival > world->now) {
            i++;
            continue;
        }
        packet = world_take(world, i);
        if (packet.is_ack) {
            const struct frame_header header = {.seq = packet.seq, .flags = packet.flags, .length = sizeof(packet.ack)};

            flight_answer(&world->flight, &header, &packet.ack, world->now);
        } else {
            receiver_take(world, &packet);
        }
    }
    for (unsigned stream = 0; stream < NR_STREAMS; stream++) {
        assert_true(world->released[stream] <= world->delivered[stream]);
    }
}

int world_setup(void **state)
{
    *state = calloc(1, sizeof(struct world));
    if (!*state)
        return -1;
    world_begin(*state, 1, 0);
    return 0;
}

int world_teardown(void **state)
{
    free(*state);
    return 0;
}

void world_begin(struct world *world, uint64_t seed, uint32_t first_seq)
{
    memset(world, 0, sizeof(*world));
    random_state = seed;
    const struct window_memory memory = {world->runs, world->marks, world->resent, WORLD_SIZE};

    flight_init(&world->flight, 1440, 64 * 1440, WORLD_HZ, &memory, world->released, NR_STREAMS);
    world->window = &world->flight.window;
    window_begin_at(world->window, first_seq);
    world->first = world->expected = first_seq;
    world->hold = 1024;
}

void world_step(struct world *world)
{
    world->now++;
    wire_step(world);
    retransmit(world);
}

void world_run(struct world *world, uint64_t nr_frames)
{
    uint32_t first = world->first;
    uint64_t settle = 0;

    while (!window_empty(world->window) || world->window->next - first < nr_frames) {
        world_step(world);
        if (world->window->next - first < nr_frames && random_below(20) == 0) {
            world_send(world, 1 + random_below(200));
        }
        assert_true(++settle < 100000000);
    }
    assert_int_equal(world->nr_delivered, world->window->next - first);
    assert_int_equal(world->window->arrived, world->delivered[0] + world->delivered[1] + world->delivered[2]);
    for (unsigned stream = 0; stream < NR_STREAMS; stream++) {
        assert_int_equal(world->released[stream], world->sent[stream]);
        assert_int_equal(world->delivered[stream], world->sent[stream]);
    }
}
