/*
 * A simulation of channel=net: the hypervisor's sender (serial/net/) on a fake card, a wire with a rate, a queue,
 * losses and reordering by a seeded generator, and the receiver's code that puts frames into sequence. One tick is a
 * nanosecond, and nothing depends on the host's clock.
 */
#ifndef TESTS_UNIT_SERIAL_LINK_WORLD_H
#define TESTS_UNIT_SERIAL_LINK_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_settings {
    uint64_t rate;         /* bits per second, Ethernet's framing included */
    uint64_t latency;      /* ns from the end of the wire to the receiver, and from there to the sender */
    uint32_t drop;         /* of 1000 datagrams, in both directions, those that are lost */
    uint32_t reorder;      /* of 1000, those that the next one overtakes */
    uint32_t queue_frames; /* the wire holds this many and drops what comes then; 0: any number */
    uint64_t moves;        /* ns until another host takes over the receiver's address; 0: never */
    uint64_t poll;         /* ns between two polls of the sender */
    uint64_t bytes;        /* of trace to send */
    uint32_t region_bytes; /* of trace that become ready at once; 8 regions are the trace memory */
    uint16_t mtu;
    bool compresses;
};

struct link_result {
    uint64_t ns;              /* from the first trace byte to the acknowledgement of the last */
    uint64_t payload_bytes;   /* of trace, delivered */
    uint64_t frames_sent;     /* with data */
    uint64_t frames_stored;   /* delivered */
    uint64_t longest_queue;   /* ns that a frame waited for the wire */
    uint64_t reordering_seen; /* frames that were sent again and arrived twice */
};

/* The time of the simulation, which is the hypervisor's clock: a test must define trace_clock_find and what else the
 * sender needs of other rooms (test_link.c). */
uint64_t link_now(void);

/* Send everything over the wire. Fails the test if the bytes do not arrive in sequence, do not arrive, or differ from
 * the trace. It has 4 random bytes in 32. */
struct link_result link_run(const struct link_settings *settings, uint64_t seed);

#endif
