/* channel=net with a key: which received frames the hypervisor uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serial/net/udp_auth.c" /* shell, which is linked into the hypervisor only */

#define STREAM 0x1234u

static const struct siphash_key shared = {0x0123456789abcdef, 0xfedcba9876543210};
static struct udp_sink *udp;
static uint8_t datagram[512];
static struct frame_header header;

static int setup(void **state)
{
    (void)state;
    udp = calloc(1, sizeof *udp);
    assert_non_null(udp);
    udp->stream_id = STREAM;
    udp->auth.required = true;
    udp->auth.shared = shared;
    memset(udp->auth.nonces.sender, 7, sizeof udp->auth.nonces.sender);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(udp);
    return 0;
}

/* Does the sink accept this frame? key: NULL for a frame without a tag. */
static bool accepts(uint8_t kind, uint32_t stream_id, uint32_t seq, const void *payload, uint16_t length,
                    const struct siphash_key *key, uint64_t number)
{
    const struct frame_header plain = {.kind = kind, .stream_id = stream_id, .seq = seq, .length = length};
    size_t size = sizeof plain + length;

    memcpy(datagram, &plain, sizeof plain);
    memcpy(datagram + sizeof plain, payload, length);
    if (key)
        size = auth_seal(datagram, key, number);
    else
        frame_seal_again(datagram);
    assert_int_equal(frame_parse(&header, datagram, size), FRAME_OK);
    return udp_auth_accepts(udp, &header, datagram);
}

static bool opens(const struct auth_nonces *nonces, uint32_t stream_id, const struct siphash_key *key)
{
    assert_false(accepts(FRAME_OPENED, stream_id, 0, nonces, sizeof *nonces, key, 0));
    return udp->auth.is_open;
}

static bool accepts_ack(uint32_t seq, const struct siphash_key *key, uint64_t number)
{
    static const struct frame_ack ack;
    return accepts(FRAME_ACK, STREAM, seq, &ack, sizeof ack, key, number);
}

static void only_an_answer_to_our_nonce_opens(void **state)
{
    struct auth_nonces nonces = {.receiver = {5}};
    struct siphash_key other = shared;
    (void)state;
    assert_false(accepts_ack(0, NULL, 0));
    assert_false(accepts_ack(0, &shared, 0));
    assert_false(opens(&nonces, STREAM, &shared)); /* recorded from an earlier boot */
    memcpy(nonces.sender, udp->auth.nonces.sender, sizeof nonces.sender);
    other.k1++;
    assert_false(opens(&nonces, STREAM, &other));
    assert_false(opens(&nonces, STREAM, NULL));
    assert_false(opens(&nonces, STREAM + 1, &shared));
    assert_true(opens(&nonces, STREAM, &shared));
    struct auth_session session;
    auth_session_derive(&session, &shared, &nonces);
    assert_memory_equal(&session, &udp->auth.session, sizeof session);
}

static void frames_of_the_session_are_accepted(void **state)
{
    struct auth_nonces nonces = udp->auth.nonces;
    const struct siphash_key *const key = &udp->auth.session.to_sender;
    (void)state;
    assert_true(opens(&nonces, STREAM, &shared));
    udp->nr_sent = 0x100000010;
    assert_true(accepts_ack(0x10, key, 0x100000010));
    assert_true(accepts_ack(0xfffffff0, key, 0xfffffff0));
    assert_false(accepts_ack(0x10, key, 0x10)); /* recorded 2^32 frames ago */
    assert_false(accepts_ack(0x10, NULL, 0));
    assert_false(accepts_ack(0x10, &udp->auth.session.to_receiver, 0x100000010));
    assert_true(accepts(FRAME_COMMAND, STREAM, 3, "command", 7, key, 3));
    assert_false(accepts(FRAME_COMMAND, STREAM, 3, "command", 7, NULL, 0));
    assert_false(accepts(FRAME_COMMAND, STREAM, 3, "command", 7, key, 4));
    assert_false(accepts(FRAME_COMMAND, STREAM + 1, 3, "command", 7, key, 3));
}

static void without_a_key_there_are_no_tags(void **state)
{
    (void)state;
    udp->auth.required = false;
    assert_true(accepts_ack(1, NULL, 0));
    assert_false(accepts_ack(1, &shared, 1));
}

/* The request for a session is a whole Ethernet frame. */
static void the_request_is_authentic(void **state)
{
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
    uint8_t frame[256];
    struct datagram parsed;
    (void)state;
    memcpy(udp->link.mac, mac, sizeof mac);
    udp->link.ip = 0x0a000002;
    udp->link.peer = 0x0a000001;
    udp->link.port = 21845;
    const size_t size = udp_auth_build_open(udp, frame);
    assert_true(datagram_parse(&parsed, frame, size));
    assert_int_equal(parsed.to, 0x0a000001);
    assert_int_equal(frame_parse(&header, parsed.payload, parsed.payload_bytes), FRAME_OK);
    assert_int_equal(header.kind, FRAME_OPEN | FRAME_TAGGED);
    assert_true(auth_check(parsed.payload, &shared, 0));
    assert_memory_equal(parsed.payload + frame_payload_at(&header), udp->auth.nonces.sender, AUTH_NONCE_BYTES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_an_answer_to_our_nonce_opens),
        TEST(frames_of_the_session_are_accepted),
        TEST(without_a_key_there_are_no_tags),
        TEST(the_request_is_authentic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
