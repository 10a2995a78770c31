/*
 * The acknowledgement window, against a receiver and a wire that drops, repeats, delays and reorders by a seeded
 * generator: every frame is delivered, in order and once; nothing is released before it was delivered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serial/window.h"

#define NR_STREAMS 3
#define SIZE 256u
#define TIMEOUT 1000u
#define MAX_ON_WIRE 4096u

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

struct packet {
    uint64_t arrival;
    bool is_ack;
    bool wants_ack;
    uint32_t seq;
    uint16_t stream, length;
    uint64_t offset;
    struct frame_ack ack;
};

struct world {
    uint64_t now;
    uint32_t drop, dup, jitter; /* per cent, per cent, ticks */
    uint32_t hold;              /* frames that the receiver keeps ahead of its turn */

    struct window window;
    struct window_run runs[SIZE];
    uint8_t marks[SIZE];
    uint64_t released[NR_STREAMS];
    uint64_t sent[NR_STREAMS];

    struct packet wire[MAX_ON_WIRE];
    uint32_t nr_on_wire;

    uint32_t first, expected;
    bool present[2048];
    struct packet held[2048];
    uint64_t delivered[NR_STREAMS];
    uint64_t nr_delivered;
};

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

/* The frame as the window describes it: what sending again relies on. */
static void send_frame(struct world *world, const struct window_run *frame, bool wants_ack)
{
    assert_int_equal(frame->frames, 1);
    assert_int_equal(frame->bytes, frame->length);
    assert_int_equal(frame->pa, 0x1000ull * (frame->stream + 1u) + frame->offset);
    wire_put(world, (struct packet){.wants_ack = wants_ack,
                                    .seq = frame->first,
                                    .stream = frame->stream,
                                    .length = frame->length,
                                    .offset = frame->offset});
    if (wants_ack) {
        window_asked(&world->window, world->now);
    }
}

/* A run of nr_frames: full ones and a rest. */
static void send_new(struct world *world, uint32_t nr_frames)
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
        bool lazy = random_below(4) == 0 && window_space(&world->window) > SIZE / 2;

        send_frame(world, &frame, i + 1 == nr_frames ? !lazy : i % 64 == 63);
    }
}

/* What nobody asked for yet is asked for now and then, by the last frame once more. */
static void ask_late(struct world *world)
{
    if (!window_empty(&world->window) && world->window.asked != world->window.next && random_below(100) == 0) {
        struct window_run last = window_frame(&world->window, world->window.next - 1);

        send_frame(world, &last, true);
    }
}

static void send_again(struct world *world)
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
    ask_late(world);
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
    if (packet->wants_ack) {
        answer(world);
    }
}

/* Take a packet off the wire; the others keep their order. */
static struct packet wire_take(struct world *world, uint32_t i)
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
        packet = wire_take(world, i);
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

static struct world *world_new(uint64_t seed, uint32_t first_seq)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    random_state = seed;
    window_init(&world->window, world->runs, world->marks, SIZE, world->released, NR_STREAMS, TIMEOUT);
    world->window.base = world->window.next = world->window.asked = first_seq;
    world->window.recover = world->window.resend_next = world->window.resend_end = first_seq;
    world->first = world->expected = first_seq;
    world->hold = 1024;
    return world;
}

/* Send nr_frames or a few more, then let everything settle; the time that it may take is bounded. */
static void run(struct world *world, uint64_t nr_frames)
{
    uint32_t first = world->first;
    uint64_t settle = 0;

    while (!window_empty(&world->window) || world->window.next - first < nr_frames) {
        world->now++;
        wire_step(world);
        send_again(world);
        if (world->window.next - first < nr_frames && random_below(20) == 0) {
            send_new(world, 1 + random_below(200));
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

static void perfect_wire_sends_nothing_again(void **state)
{
    struct world *world = world_new(1, 0);

    (void)state;
    run(world, 20000);
    assert_int_equal(world->window.nr_resent, 0);
    assert_int_equal(world->window.nr_timeouts, 0);
    free(world);
}

static void bad_wires(void **state)
{
    static const struct {
        uint32_t drop, dup, jitter, hold;
    } wires[] = {{1, 0, 0, 1024},     {0, 10, 0, 1024}, {0, 0, 100, 1024}, {5, 5, 50, 1024},
                 {30, 10, 200, 1024}, {5, 5, 50, 257},  {5, 0, 20, 16},    {60, 0, 10, 1024}};

    (void)state;
    for (unsigned i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct world *world = world_new(seed * 1000 + i, (uint32_t)-1000);

            world->drop = wires[i].drop;
            world->dup = wires[i].dup;
            world->jitter = wires[i].jitter;
            world->hold = wires[i].hold;
            run(world, 3000);
            free(world);
        }
    }
}

/* One lost frame in the middle costs one frame sent again, and no timeout. */
static void one_loss_costs_one_frame(void **state)
{
    struct world *world = world_new(1, 0);

    (void)state;
    send_new(world, 100);
    for (uint32_t i = 0; i < world->nr_on_wire; i++) {
        if (world->wire[i].seq == 40) {
            wire_take(world, i);
            break;
        }
    }
    run(world, 0);
    assert_int_equal(world->window.nr_resent, 1);
    assert_int_equal(world->window.nr_timeouts, 0);
    free(world);
}

static void foreign_acks_change_nothing(void **state)
{
    struct world *world = world_new(1, 0);
    struct frame_ack none = {{0}};
    struct window before;

    (void)state;
    send_new(world, 10);
    before = world->window;
    assert_false(window_ack(&world->window, 11, &none, 5));
    assert_false(window_ack(&world->window, (uint32_t)-1, &none, 5));
    assert_false(window_ack(&world->window, 0x80000000, &none, 5));
    assert_memory_equal(&before, &world->window, sizeof(before));
    assert_true(window_ack(&world->window, 4, &none, 5));
    assert_int_equal(world->window.base, 4);
    assert_false(window_ack(&world->window, 3, &none, 5));
    assert_int_equal(world->window.base, 4);
    free(world);
}

/* Bits beyond what was sent, as a broken receiver might set, do no harm. */
static void bits_beyond_the_window(void **state)
{
    struct world *world = world_new(1, 0);
    struct frame_ack all = {{~0ull, ~0ull, ~0ull, ~0ull}};
    struct window_run frame;

    (void)state;
    send_new(world, 10);
    assert_true(window_ack(&world->window, 2, &all, 5));
    assert_true(window_resend(&world->window, &frame));
    assert_int_equal(frame.first, 2);
    assert_false(window_resend(&world->window, &frame));
    assert_int_equal(window_space(&world->window), SIZE - 8);
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfect_wire_sends_nothing_again), cmocka_unit_test(bad_wires),
        cmocka_unit_test(one_loss_costs_one_frame),         cmocka_unit_test(foreign_acks_change_nothing),
        cmocka_unit_test(bits_beyond_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
