/*
 * The acknowledgement window with a receiver, and a wire that drops, repeats, delays and reorders packets by a seeded
 * generator. Every frame is delivered once and in order, and nothing is released before it was delivered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/serial/window_world.h"

static void perfect_wire_sends_nothing_again(void **state)
{
    struct world *world = *state;

    world_run(world, 20000);
    assert_int_equal(world->window->nr_lost, 0);
    assert_int_equal(world->flight.nr_timeouts, 0);
}

static void bad_wires(void **state)
{
    static const struct {
        uint32_t drop, dup, jitter, hold;
    } wires[] = {{1, 0, 0, 1024},     {0, 10, 0, 1024}, {0, 0, 100, 1024}, {5, 5, 50, 1024},
                 {30, 10, 200, 1024}, {5, 5, 50, 257},  {5, 0, 20, 16},    {60, 0, 10, 1024}};
    struct world *world = *state;

    for (unsigned i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            world_begin(world, seed * 1000 + i, (uint32_t)-1000);
            world->drop = wires[i].drop;
            world->dup = wires[i].dup;
            world->jitter = wires[i].jitter;
            world->hold = wires[i].hold;
            world_run(world, 3000);
        }
    }
}

/* Send 100 frames, and lose one of them on the wire. */
static void send_all_but(struct world *world, uint32_t seq)
{
    world_send(world, 100);
    for (uint32_t i = 0; i < world->nr_on_wire; i++) {
        if (world->wire[i].seq == seq) {
            world_take(world, i);
            break;
        }
    }
}

/* The loss of one frame costs one retransmission and no timeout. */
static void one_loss_costs_one_frame(void **state)
{
    struct world *world = *state;

    send_all_but(world, 40);
    world_run(world, 0);
    assert_int_equal(world->window->nr_lost, 1);
    assert_int_equal(world->window->nr_resent, 1);
    assert_int_equal(world->flight.nr_timeouts, 0);
}

/* What the receiver had held when it was killed is sent again within a round trip, after one timeout if nothing else is
 * asked. */
static void a_restarted_receiver_gets_all_again(void **state)
{
    struct world *world = *state;

    send_all_but(world, 40);
    while (world->expected < 40 || world->window->base < 40) {
        world_step(world);
    }
    assert_true(world->present[41]);
    world_restart_receiver(world);
    world_run(world, 0);
    assert_in_range(world->flight.nr_timeouts, 0, 1);
    assert_in_range(world->window->nr_resent, 60, 70);
}

static void restarts_on_a_bad_wire(void **state)
{
    struct world *world = *state;

    for (uint64_t seed = 1; seed <= 10; seed++) {
        world_begin(world, seed, (uint32_t)-1000);
        world->drop = 5;
        world->dup = 5;
        world->jitter = 50;
        world->restarts = 2;
        world_run(world, 3000);
        assert_in_range(world->window->nr_resent, 150, 2600);
    }
}

static bool acknowledge(struct world *world, uint32_t seq, const struct frame_ack *ack, const struct window_sent *sent)
{
    return window_ack(world->window, &(struct window_arrived){seq, FRAME_ACK_WORDS, ack}, sent);
}

static void foreign_acks_change_nothing(void **state)
{
    struct world *world = *state;
    struct frame_ack none = {{0}};
    struct window before;

    world_send(world, 10);
    before = *world->window;
    assert_false(acknowledge(world, 11, &none, NULL));
    assert_false(acknowledge(world, (uint32_t)-1, &none, NULL));
    assert_false(acknowledge(world, 0x80000000, &none, NULL));
    assert_memory_equal(&before, world->window, sizeof(before));
    assert_true(acknowledge(world, 4, &none, NULL));
    assert_int_equal(world->window->base, 4);
    assert_false(acknowledge(world, 3, &none, NULL));
    assert_int_equal(world->window->base, 4);
}

/* Bits for frames that were not sent, as a broken receiver might set them, are ignored. */
static void bits_beyond_the_window(void **state)
{
    struct world *world = *state;
    struct frame_ack all = {{~0ull, ~0ull, ~0ull, ~0ull}};
    struct window_run frame;

    world_send(world, 10);
    assert_true(acknowledge(world, 2, &all, &(struct window_sent){10, 10}));
    assert_true(window_resend(world->window, &frame));
    assert_int_equal(frame.first, 2);
    assert_false(window_resend(world->window, &frame));
    assert_int_equal(window_space(world->window), WORLD_SIZE - 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(perfect_wire_sends_nothing_again),
        WORLD_TEST(bad_wires),
        WORLD_TEST(one_loss_costs_one_frame),
        WORLD_TEST(foreign_acks_change_nothing),
        WORLD_TEST(a_restarted_receiver_gets_all_again),
        WORLD_TEST(restarts_on_a_bad_wire),
        WORLD_TEST(bits_beyond_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
