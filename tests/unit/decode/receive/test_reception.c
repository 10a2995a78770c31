/*
 * A whole reception: a machine that restarts, frames at impossible offsets, and commands before the first frame. The
 * test provides the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/monotonic.h"
#include "decode/receive/reception.h"
#include "decode/receive/unpack.h"
#include "tests/unit/decode/capture/capture_fixture.h"

#define STREAM 0x1234u
#define SOURCE 0x7f0000015555u

static double now = 1000;

double monotonic_seconds(void)
{
    return now;
}

static volatile sig_atomic_t stop;

static void show_nothing(void *context, enum reception_phase phase, const struct store_totals *totals)
{
    (void)context, (void)phase, (void)totals;
}

static struct reception *begin(struct capture_fixture *f, bool in_order_only)
{
    static struct reception reception;
    reception = (struct reception){.stop = &stop, .progress = show_nothing};
    reception.store = store_create(f->capture, &f->error);
    assert_non_null(reception.store);
    reception.control = control_open(f->capture, &f->error);
    assert_non_null(reception.control);
    reception_init(&reception, in_order_only);
    return &reception;
}

static void end(struct reception *reception)
{
    control_close(reception->control);
    reception_free(reception);
    store_close(reception->store);
}

static bool take(struct reception *reception, uint32_t stream_id, uint32_t seq, uint64_t offset)
{
    static const uint8_t payload[16] = {0};
    struct frame_header header = {
        .kind = FRAME_TRACE, .stream_id = stream_id, .seq = seq, .offset = offset, .length = sizeof(payload)};
    return reception_take(reception, SOURCE, &header, payload);
}

/* Anyone can send a datagram with a good CRC. */
static void a_cpu_that_no_sender_has_is_ignored(void **state)
{
    struct reception *reception = begin(*state, false);
    static const uint8_t payload[1];
    struct frame_header header = {
        .kind = FRAME_RECORDS, .cpu = STORE_MAX_CPUS, .stream_id = STREAM, .length = sizeof(payload)};
    assert_false(reception_take(reception, SOURCE, &header, payload));
    assert_int_equal(reception->bad_frames, 1);
    assert_true(take(reception, STREAM, 0, 0)); /* neither the stream nor the number is taken */
    header.seq = 1;
    assert_false(reception_take(reception, SOURCE, &header, payload));
    assert_int_equal(reception->bad_frames, 2);
    assert_false(reception->store_failed);
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    end(reception);
}

/* Answer the newest frame. Returns the number that is expected next. */
static uint32_t answer(struct reception *reception, uint64_t source, uint32_t stream_id)
{
    struct frame_header header = {0};
    struct frame_ack ack;
    assert_true(reception_answer(reception, source, &(struct frame_header){.stream_id = stream_id}, &header, &ack));
    assert_int_equal(header.kind, FRAME_ACK);
    assert_int_equal(header.stream_id, stream_id);
    return header.seq;
}

static void another_boot_is_noticed(void **state)
{
    struct reception *reception = begin(*state, false);
    struct frame_header ack = {.kind = FRAME_ACK, .stream_id = STREAM + 2, .length = sizeof(struct frame_ack)};
    static const uint8_t payload[sizeof(struct frame_ack)];
    now += 1;
    assert_true(take(reception, STREAM, 0, 0));
    assert_true(reception->last_frame >= now);
    assert_false(reception->other_boot);
    assert_false(reception_take(reception, SOURCE, &ack, payload));
    assert_false(reception->other_boot);
    assert_int_equal(answer(reception, SOURCE, STREAM), 1);
    assert_true(take(reception, STREAM, 1, 16));
    now += 5;
    assert_false(take(reception, STREAM + 1, 0, 0));
    assert_true(reception->other_boot);
    assert_int_equal(reception->other_stream_id, STREAM + 1);
    assert_true(reception->last_frame < now); /* a foreign frame does not extend the timeout */
    assert_int_equal(store_totals(reception->store)->trace_bytes, 32);
    end(reception);
}

static bool take_from(struct reception *reception, uint64_t source, uint32_t stream_id, uint32_t seq)
{
    static const uint8_t payload[16] = {0};
    struct frame_header header = {.kind = FRAME_TRACE,
                                  .stream_id = stream_id,
                                  .seq = seq,
                                  .offset = seq * sizeof(payload),
                                  .length = sizeof(payload)};
    return reception_take(reception, source, &header, payload);
}

/* Frames that were forged before the machine is on. It is the machine that sends more after an answer. */
static void a_forged_first_frame_does_not_lock_the_receiver(void **state)
{
    struct reception *reception = begin(*state, false);
    const uint64_t forger = SOURCE + 1;
    assert_true(take_from(reception, forger, 1, 0));
    assert_int_equal(answer(reception, forger, 1), 1);
    assert_true(take_from(reception, SOURCE, STREAM, 0));
    assert_true(take_from(reception, SOURCE, STREAM, 2));
    assert_int_equal(reception->replaced, 0);
    assert_int_equal(answer(reception, SOURCE, STREAM), 1);
    assert_true(take_from(reception, SOURCE, STREAM, 2)); /* sent again: it may not have the answer yet */
    assert_int_equal(reception->replaced, 0);
    assert_true(take_from(reception, SOURCE, STREAM, 1));
    assert_int_equal(reception->replaced, 1);
    assert_int_equal(reception->frames.stream_id, STREAM);
    assert_int_equal(answer(reception, SOURCE, STREAM), 3);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 48);
    assert_false(take_from(reception, forger, 1, 1));
    assert_false(take_from(reception, forger, STREAM, 3)); /* our stream, but from elsewhere */
    assert_int_equal(reception->strange, 1);
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    end(reception);
}

/* Many forgers, each with a few frames, while the real sender was first. */
static void rivals_take_a_bounded_place(void **state)
{
    struct reception *reception = begin(*state, false);
    assert_true(take_from(reception, SOURCE, STREAM, 0));
    for (uint32_t i = 1; i < 1000; i++) {
        take_from(reception, SOURCE + i, i, i % 12);
        if (i % 12 < RIVAL_FRAMES)
            answer(reception, SOURCE + i, i);
    }
    assert_int_equal(reception->replaced, 0);
    assert_int_equal(answer(reception, SOURCE, STREAM), 1);
    assert_true(take_from(reception, SOURCE, STREAM, 1));
    assert_true(reception->proven);
    assert_false(take_from(reception, SOURCE + 1, 1, 0));
    assert_int_equal(store_totals(reception->store)->trace_bytes, 32);
    end(reception);
}

/* Over UDP no bytes may be missing; on a serial line as many as the missing frames can have had. */
static void holes_are_as_large_as_what_was_lost(void **state)
{
    struct reception *reception = begin(*state, false);
    take(reception, STREAM, 0, 0);
    take(reception, STREAM, 1, 1000000);
    take(reception, STREAM, 2, 16);
    assert_int_equal(store_totals(reception->store)->misplaced, 1);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 32);
    end(reception);

    assert_int_equal(capture_teardown(state), 0);
    assert_int_equal(capture_setup(state), 0);
    reception = begin(*state, true);
    take(reception, STREAM, 10, 150000); /* reading began late */
    assert_int_equal(store_totals(reception->store)->trace_bytes, 16);
    take(reception, STREAM, 12, 160000);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 32);
    take(reception, STREAM, 13, 1ull << 40);
    take(reception, STREAM, 14, 160016);
    assert_int_equal(store_totals(reception->store)->misplaced, 1);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 48);
    end(reception);
}

/* A frame of version 4 with a block of 12 literals and a match of 20004 bytes; with bad, the match begins before the
 * block. */
static bool take_packed(struct reception *reception, uint32_t seq, uint64_t offset, bool bad)
{
    uint8_t block[200] = {12 << 4 | 15};
    struct frame_header header = {.version = FRAME_PACKED_VERSION,
                                  .kind = FRAME_TRACE | FRAME_PACKED,
                                  .stream_id = STREAM,
                                  .seq = seq,
                                  .offset = offset};
    size_t size = 13;
    block[size++] = bad ? 13 : 1; /* the distance */
    block[size++] = 0;
    for (unsigned left = 20000 - 15;; left -= 255) {
        block[size++] = left < 255 ? (uint8_t)left : 255;
        if (left < 255)
            break;
    }
    block[size++] = 5 << 4;
    size += 5;
    header.length = (uint16_t)size;
    return reception_take(reception, SOURCE, &header, block);
}

/* What cannot be decompressed is a gap, and no reason to stop. What is missing can be more than a frame has bytes. */
static void compressed_frames(void **state)
{
    const uint64_t plain = 12 + 20004 + 5;
    struct reception *reception = begin(*state, false);
    if (!unpack_is_there()) { /* then nothing is acknowledged that could not be stored */
        assert_false(take_packed(reception, 0, 0, false));
        assert_true(reception->cannot_unpack);
        end(reception);
        return;
    }
    assert_true(take_packed(reception, 0, 0, false));
    assert_int_equal(store_totals(reception->store)->trace_bytes, plain);
    assert_true(take_packed(reception, 2, 2 * plain, false));
    assert_true(take_packed(reception, 1, plain, true));
    assert_int_equal(reception->bad_blocks, 1);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 2 * plain);
    assert_int_equal(store_totals(reception->store)->lost_trace_bytes, plain);
    assert_int_equal(store_totals(reception->store)->misplaced, 0);
    assert_true(take_packed(reception, 3, 1ull << 40, false)); /* held until the next one */
    assert_true(take_packed(reception, 4, 3 * plain, false));
    assert_int_equal(store_totals(reception->store)->misplaced, 1);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 3 * plain);
    assert_false(reception->store_failed);
    end(reception);
}

static bool send_nothing(void *context, const uint8_t *frame, size_t size)
{
    (void)context, (void)frame, (void)size;
    return true;
}

/* A command waits a minute for a machine that is booting. */
static void a_command_before_the_first_frame_ends(void **state)
{
    struct capture_fixture *f = *state;
    struct reception *reception = begin(f, false);
    struct sockaddr_un address;
    char text[128] = "";
    reception->send = send_nothing;
    int directory = control_address(&address, f->capture), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
    close(directory);
    assert_int_equal(send(client, "status\n", 7, 0), 7);
    for (unsigned i = 0; i < 590; i++) {
        assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
        now += 0.1;
    }
    assert_int_equal(recv(client, text, sizeof(text) - 1, MSG_DONTWAIT), -1);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
        now += 0.1;
    }
    assert_true(recv(client, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
    assert_non_null(strstr(text, "result no machine has sent anything to this receiver yet"));
    assert_int_equal(recv(client, text, sizeof(text) - 1, MSG_DONTWAIT), 0);
    close(client);
    end(reception);
}

/* Another stream ends the reception if its sender is at the same address and reacts to answers; what was answered is
 * not lost. */
static void the_next_boot_is_followed(void **state)
{
    struct capture_fixture *f = *state;
    struct reception *reception = begin(f, false);
    const uint64_t elsewhere = SOURCE + (1ull << 16), other_port = SOURCE + 1;
    reception->follow = true;
    assert_true(take_from(reception, SOURCE, STREAM, 0));
    assert_int_equal(answer(reception, SOURCE, STREAM), 1);
    assert_true(take_from(reception, SOURCE, STREAM, 1));
    assert_false(take_from(reception, elsewhere, STREAM + 1, 0));
    assert_true(take_from(reception, other_port, STREAM + 2, 0));
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    assert_int_equal(answer(reception, other_port, STREAM + 2), 1);
    assert_true(take_from(reception, SOURCE, STREAM, 2)); /* it still sends */
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    assert_true(take_from(reception, other_port, STREAM + 2, 1));
    assert_int_equal(reception_check(reception), RECEPTION_NEXT);
    assert_int_equal(store_totals(reception->store)->trace_bytes, 48);

    struct rival boot = *reception->next;
    *reception->next = (struct rival){0};
    end(reception);
    snprintf(f->capture, sizeof(f->capture), "%s/next", f->directory);
    reception = begin(f, false);
    reception->has_past = true;
    reception->past_stream_id = STREAM;
    reception_adopt(reception, &boot);
    assert_false(take_from(reception, SOURCE, STREAM, 3));
    assert_true(take_from(reception, other_port, STREAM + 2, 2));
    assert_int_equal(store_totals(reception->store)->trace_bytes, 48);
    assert_int_equal(answer(reception, other_port, STREAM + 2), 3);
    end(reception);
}

static void a_stream_that_began_before_is_noticed(void **state)
{
    struct reception *reception = begin(*state, false);
    assert_true(take_from(reception, SOURCE, STREAM, 5));
    now += 4;
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    assert_false(reception->began_before);
    now += 2;
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    assert_true(reception->began_before);
    assert_true(take_from(reception, SOURCE, STREAM, 0)); /* it was only late */
    assert_int_equal(reception_check(reception), RECEPTION_CONTINUES);
    assert_false(reception->began_before);
    end(reception);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(a_cpu_that_no_sender_has_is_ignored),
        CAPTURE_TEST(another_boot_is_noticed),
        CAPTURE_TEST(a_stream_that_began_before_is_noticed),
        CAPTURE_TEST(the_next_boot_is_followed),
        CAPTURE_TEST(a_forged_first_frame_does_not_lock_the_receiver),
        CAPTURE_TEST(rivals_take_a_bounded_place),
        CAPTURE_TEST(holes_are_as_large_as_what_was_lost),
        CAPTURE_TEST(compressed_frames),
        CAPTURE_TEST(a_command_before_the_first_frame_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
