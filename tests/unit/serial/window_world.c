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
    wire_put(world, (struct packet){.ack_requested = ack_requested,
                                    .seq = frame->first,
                                    .stream = frame->stream,
                                    .length = frame->length,
                                    .offset = frame->offset});
    if (ack_requested) {
        window_ack_requested(&world->window, world->now);
    }
}

void world_send(struct world *world, uint32_t nr_frames)
{
    uint16_t stream = (uint16_t)random_below(NR_STREAMS);
    uint32_t full = 1 + random_below(1440), rest = 1 + random_below(full);
    struct window_run *run;

    if (nr_frames > window_space(&world->window)) {
        nr_frames = window_space(&world->window);
    }
    if (nr_frames == 0) {
        return;
    }
    run = window_push(&world->window, nr_frames);
    run->offset = world->sent[stream];
    run->pa = 0x1000ull * (stream + 1u) + world->sent[stream];
    run->bytes = (nr_frames - 1) * full + rest;
    run->length = (uint16_t)(nr_frames == 1 ? rest : full);
    run->stream = stream;
    world->sent[stream] += run->bytes;
    for (uint32_t i = 0; i < nr_frames; i++) {
        struct window_run frame = window_frame(&world->window, run->first + i);
        bool lazy = random_below(4) == 0 && window_space(&world->window) > WORLD_SIZE / 2;

        send_frame(world, &frame, i + 1 == nr_frames ? !lazy : i % 64 == 63);
    }
}

/* From time to time, request the acknowledgement of frames without a request by repeating the last one. */
static void request_late(struct world *world)
{
    if (!window_empty(&world->window) && world->window.requested != world->window.next && random_below(100) == 0) {
        struct window_run last = window_frame(&world->window, world->window.next - 1);

        send_frame(world, &last, true);
    }
}

static void retransmit(struct world *world)
{
    struct window_run frame, last;
    bool any = false;

    window_check_timeout(&world->window, world->now);
    while (window_resend(&world->window, &frame)) {
        if (any) {
            send_frame(world, &last, false);
        }
        last = frame;
        any = true;
    }
    if (any) {
        send_frame(world, &last, true);
    }
    request_late(world);
}

static void deliver(struct world *world, const struct packet *packet)
{
    assert_int_equal(packet->offset, world->delivered[packet->stream]);
    world->delivered[packet->stream] += packet->length;
    world->nr_delivered++;
    world->expected++;
}

static void answer(struct world *world)
{
    struct packet ack = {.is_ack = true, .seq = world->expected};

    for (uint32_t i = 0; i < 256; i++) {
        if (world->present[(world->expected + 1 + i) % 2048]) {
            ack.ack.received[i / 64] |= 1ull << i % 64;
        }
    }
    wire_put(world, ack);
}

static void receiver_take(struct world *world, const struct packet *packet)
{
    uint32_t ahead = packet->seq - world->expected;

    if (ahead < world->hold && !world->present[packet->seq % 2048]) {
        world->present[packet->seq % 2048] = true;
        world->held[packet->seq % 2048] = *packet;
    }
    while (world->present[world->expected % 2048]) {
        uint32_t at = world->expected % 2048;

        world->present[at] = false;
        deliver(world, &world->held[at]);
    }
    if (packet->ack_requested) {
        answer(world);
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
            window_ack(&world->window, packet.seq, &packet.ack, world->now);
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
    window_init(&world->window, world->runs, world->marks, WORLD_SIZE, world->released, NR_STREAMS, WORLD_TIMEOUT);
    world->window.base = world->window.next = world->window.requested = first_seq;
    world->window.recover = world->window.resend_next = world->window.resend_end = first_seq;
    world->first = world->expected = first_seq;
    world->hold = 1024;
}

void world_run(struct world *world, uint64_t nr_frames)
{
    uint32_t first = world->first;
    uint64_t settle = 0;

    while (!window_empty(&world->window) || world->window.next - first < nr_frames) {
        world->now++;
        wire_step(world);
        retransmit(world);
        if (world->window.next - first < nr_frames && random_below(20) == 0) {
            world_send(world, 1 + random_below(200));
        }
        assert_true(++settle < 100000000);
    }
    assert_int_equal(world->nr_delivered, world->window.next - first);
    assert_int_equal(world->window.arrived, world->delivered[0] + world->delivered[1] + world->delivered[2]);
    for (unsigned stream = 0; stream < NR_STREAMS; stream++) {
        assert_int_equal(world->released[stream], world->sent[stream]);
        assert_int_equal(world->delivered[stream], world->sent[stream]);
    }
}
