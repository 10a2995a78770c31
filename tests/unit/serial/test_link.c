/*
 * channel=net on wires of all rates that lose and reorder frames: how much of the wire's rate becomes trace, and how
 * many frames are sent for each one that is stored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/trace_clock.h"
#include "serial/net/udp_state.h"
#include "tests/unit/serial/link_world.h"

#define US 1000u
#define MS 1000000u
#define MBIT 1000000u

/* What the sender needs of the hypervisor's other files: the time, and others that it does not call. */
bool trace_clock_differs = true;

uint64_t trace_clock_find(void)
{
    return link_now();
}

uint64_t clock_tsc_hz(void)
{
    return 1000u * MS;
}

struct register_access mmio_access(struct mmio *mmio, volatile void *registers)
{
    (void)mmio, (void)registers;
    return (struct register_access){0};
}

bool udp_find_address(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    (void)s, (void)start, (void)timeout;
    return false;
}

bool udp_find_receiver(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    (void)s, (void)start, (void)timeout;
    return false;
}

void udp_lease_act(struct udp_sink *s, uint64_t now)
{
    (void)s, (void)now;
}

void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size)
{
    (void)s, (void)frame, (void)size;
}

/* Per mille of the wire's rate, Ethernet's framing included, that became trace, and of what it does not lose. */
static uint64_t share(const struct link_settings *settings, const struct link_result *result)
{
    return result->payload_bytes * 8 * 1000 * 1000 / (1000 - settings->drop) * 1000000 / result->ns * 1000 /
           settings->rate;
}

/* Sent for each 1000 stored. */
static uint64_t sent(const struct link_result *result)
{
    return result->frames_sent * 1000 / result->frames_stored;
}

static struct link_settings wire(uint32_t mbit, uint32_t drop, uint32_t reorder)
{
    return (struct link_settings){.rate = (uint64_t)mbit * MBIT,
                                  .latency = 20 * US,
                                  .drop = drop,
                                  .reorder = reorder,
                                  .poll = 20 * US,
                                  .bytes = mbit > 100  ? 16u << 20
                                           : mbit > 30 ? 4u << 20
                                                       : 2u << 20,
                                  .region_bytes = 512u << 10,
                                  .mtu = 1500};
}

static void check(const struct link_settings *settings, uint64_t seed, uint64_t least_share, uint64_t most_sent)
{
    const struct link_result result = link_run(settings, seed);

    if (share(settings, &result) < least_share || sent(&result) > most_sent) {
        fail_msg("%lu Mbit/s, %u of 1000 lost, %u overtaken, latency %lu us, seed %lu: %lu of 1000 bits became trace, "
                 "%lu frames sent for 1000 stored",
                 settings->rate / MBIT, settings->drop, settings->reorder, settings->latency / US, seed,
                 share(settings, &result), sent(&result));
    }
}

static void all_rates_and_losses(void **state)
{
    static const uint32_t rates[] = {10, 20, 60, 1000}, drops[] = {0, 10, 30, 100}, reorders[] = {0, 20, 100};

    (void)state;
    for (unsigned rate = 0; rate < 4; rate++) {
        for (unsigned drop = 0; drop < 4; drop++) {
            for (unsigned reorder = 0; reorder < 3; reorder++) {
                const struct link_settings settings = wire(rates[rate], drops[drop], reorders[reorder]);

                check(&settings, 1 + rate, 850, 1150);
            }
        }
    }
}

/* Only a loss is a reason to send a frame again, however slow the wire is, and however late root mode polls. */
static void nothing_is_sent_twice_without_a_loss(void **state)
{
    static const uint32_t rates[] = {3, 10, 100, 1000};

    (void)state;
    for (unsigned rate = 0; rate < 4; rate++) {
        struct link_settings settings = wire(rates[rate], 0, 20);

        settings.bytes = 1u << 20;
        check(&settings, 1, 900, 1002);
        settings.reorder = 0;
        settings.poll = 10 * MS;
        settings.bytes = 16u << 20;
        check(&settings, 1, rates[rate] < 1000 ? 850 : 600, 1002);
    }
}

/* A round trip of 2 ms, of 20 ms; frames of 9000 bytes; small trace memory. */
static void other_wires(void **state)
{
    struct link_settings settings = wire(1000, 20, 20);

    (void)state;
    settings.latency = MS;
    check(&settings, 1, 800, 1100);
    settings = wire(60, 20, 20);
    settings.latency = 10 * MS;
    check(&settings, 1, 700, 1100);
    settings = wire(1000, 20, 20);
    settings.mtu = 9000;
    check(&settings, 1, 850, 1100);
    settings = wire(10, 20, 20);
    settings.mtu = 9000;
    check(&settings, 1, 800, 1200);
    settings = wire(100, 20, 0);
    settings.region_bytes = 8192;
    check(&settings, 1, 700, 1150);
}

/* A switch holds only a few frames for a slow wire, and drops the rest. */
static void short_queues(void **state)
{
    static const struct {
        uint32_t mbit, queue_frames;
    } queues[] = {{10, 16}, {10, 64}, {60, 64}, {100, 64}, {100, 256}};

    (void)state;
    for (unsigned i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        struct link_settings settings = wire(queues[i].mbit, 0, 0);

        settings.queue_frames = queues[i].queue_frames;
        settings.bytes = 8u << 20;
        check(&settings, 1, 800, 1300);
    }
}

/* The queue on the way stays short: a lost frame is soon noticed, and a wire that others share is not blocked. */
static void queues_stay_short(void **state)
{
    static const uint32_t rates[] = {10, 20, 60};

    (void)state;
    for (unsigned rate = 0; rate < 3; rate++) {
        const struct link_settings settings = wire(rates[rate], 10, 0);
        const struct link_result result = link_run(&settings, 1);

        assert_true(result.longest_queue < 40 * MS);
    }
}

/* A third of all frames are lost, and a third of the answers. */
static void very_bad_wires(void **state)
{
    struct link_settings settings = wire(20, 333, 50);

    (void)state;
    check(&settings, 1, 500, 1700);
    settings = wire(1000, 333, 50);
    check(&settings, 1, 300, 1700);
}

/* What is sent again is what was sent, whatever has become of the trace memory meanwhile; and a wire carries several
 * times as much trace. */
static void compressed_frames(void **state)
{
    static const uint32_t rates[] = {10, 60, 1000}, drops[] = {0, 30, 100};

    (void)state;
    for (unsigned rate = 0; rate < 3; rate++) {
        for (unsigned drop = 0; drop < 3; drop++) {
            struct link_settings settings = wire(rates[rate], drops[drop], 20 * drop);

            settings.compresses = true;
            settings.bytes *= 4;
            check(&settings, 1, rates[rate] < 1000 ? 3000 : 2500, 1150);
            settings.mtu = 9000;
            check(&settings, 1, rates[rate] < 1000 ? 3000 : 2500, 1250);
        }
    }
    struct link_settings settings = wire(100, 20, 20);
    settings.compresses = true;
    settings.region_bytes = 8192;
    check(&settings, 1, 1500, 1250);
}

/* Another host takes over the receiver's address, with what it has stored: it gets everything that the first one has
 * not acknowledged, within two seconds. */
static void another_host_takes_over(void **state)
{
    struct link_settings settings = wire(100, 10, 10);
    const struct link_result before = link_run(&settings, 3);

    (void)state;
    settings.moves = before.ns / 2;
    const struct link_result result = link_run(&settings, 3);

    assert_int_equal(result.payload_bytes, before.payload_bytes);
    assert_in_range(result.ns, before.ns + MS, before.ns + 2000u * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rates_and_losses), cmocka_unit_test(nothing_is_sent_twice_without_a_loss),
        cmocka_unit_test(other_wires),          cmocka_unit_test(short_queues),
        cmocka_unit_test(queues_stay_short),    cmocka_unit_test(very_bad_wires),
        cmocka_unit_test(compressed_frames),    cmocka_unit_test(another_host_takes_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
