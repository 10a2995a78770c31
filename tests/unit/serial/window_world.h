/*
 * A simulation for the tests of what is in flight: a sender with a window, a receiver, and a wire that drops, repeats,
 * delays and reorders packets by a seeded generator. Each step checks that frames are delivered in order, and that
 * nothing is released before it was delivered.
 */
#ifndef TESTS_UNIT_SERIAL_WINDOW_WORLD_H
#define TESTS_UNIT_SERIAL_WINDOW_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/flight.h"

#define NR_STREAMS 3
#define WORLD_SIZE 256u
#define WORLD_HZ 50000u /* ticks per second: a shortest timeout of 100 ticks */
#define MAX_ON_WIRE 4096u

struct packet {
    uint64_t arrival;
    bool is_ack;
    uint16_t flags;
    uint32_t seq;
    uint16_t stream, length;
    uint64_t offset;
    struct frame_ack ack;
};

struct world {
    uint64_t now;
    uint32_t drop, dup, jitter; /* per cent, per cent, ticks */
    uint32_t hold;              /* how many frames ahead of the expected one the receiver keeps */
    uint32_t restarts;          /* in a thousand frames: how often the receiver is started again, and keeps none */

    struct flight flight;
    struct window *window; /* its window */
    struct window_run runs[WORLD_SIZE];
    uint8_t marks[WORLD_SIZE];
    uint32_t resent[WORLD_SIZE];
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

int world_setup(void **state);
int world_teardown(void **state);
#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

/* Reset the simulation: a perfect wire, and a receiver that holds 1024 frames. */
void world_begin(struct world *world, uint64_t seed, uint32_t first_seq);

/* Send a run of nr_frames frames, or fewer if the window has less room. */
void world_send(struct world *world, uint32_t nr_frames);

/* Remove a packet from the wire; the others keep their order. */
struct packet world_take(struct world *world, uint32_t i);

/* One tick: deliver what arrives, and send again what is lost. */
void world_step(struct world *world);

/* The receiver is started again: it has forgotten the frames that it held. */
void world_restart_receiver(struct world *world);

/* Send nr_frames or slightly more, then run until all are acknowledged, for a limited time. */
void world_run(struct world *world, uint64_t nr_frames);

#endif
