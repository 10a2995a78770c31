/* Sessions of a receiver with a key: which frames it accepts, and which it answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/receive/session.h"

#define STREAM 0x1234u

static const struct siphash_key shared = {0x0123456789abcdef, 0xfedcba9876543210};

/* A machine, and the datagram that it has built last. */
struct machine {
    uint32_t stream_id;
    struct auth_nonces nonces;
    struct auth_session keys;
    struct frame_header header;
    uint8_t datagram[FRAME_HEADER_SIZE + FRAME_TAG_SIZE + 64];
};

struct fixture {
    struct session session;
    struct reassemble frames;
};

static void deliver_nothing(void *context, const struct frame_header *header, const uint8_t *payload)
{
    (void)context, (void)header, (void)payload;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    assert_true(session_init(&f->session, &shared));
    reassemble_init(&f->frames, false, deliver_nothing, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    reassemble_free(&f->frames);
    free(f);
    return 0;
}

static void build(struct machine *m, uint8_t kind, uint32_t seq, const void *payload, uint16_t length,
                  const struct siphash_key *key, uint64_t number)
{
    const struct frame_header header = {.kind = kind, .stream_id = m->stream_id, .seq = seq, .length = length};
    memcpy(m->datagram, &header, sizeof(header));
    memcpy(m->datagram + sizeof(header), payload, length);
    const size_t size = auth_seal(m->datagram, key, number);
    assert_int_equal(frame_parse(&m->header, m->datagram, size), FRAME_OK);
}

/* Ask for a session. true: there is an answer, and the machine has the keys. */
static bool open_session(struct fixture *f, struct machine *m, const struct siphash_key *key)
{
    uint8_t answer[SESSION_OPENED_MAX];
    struct frame_header header;
    build(m, FRAME_OPEN, 0, m->nonces.sender, sizeof(m->nonces.sender), key, 0);
    const size_t size = session_open(&f->session, &m->header, m->datagram, answer);
    if (size == 0)
        return false;
    assert_int_equal(frame_parse(&header, answer, size), FRAME_OK);
    assert_int_equal(header.kind, FRAME_OPENED | FRAME_TAGGED);
    assert_true(auth_check(answer, key, 0));
    assert_memory_equal(answer + frame_payload_at(&header), m->nonces.sender, sizeof(m->nonces.sender));
    memcpy(&m->nonces, answer + frame_payload_at(&header), sizeof(m->nonces));
    auth_session_derive(&m->keys, key, &m->nonces);
    return true;
}

static bool accepts_frame(struct fixture *f, struct machine *m, uint32_t seq, uint64_t number)
{
    build(m, FRAME_TRACE, seq, "payload", 7, &m->keys.to_receiver, number);
    return session_accepts(&f->session, &f->frames, &m->header, m->datagram);
}

static void the_first_authentic_frame_chooses(void **state)
{
    struct fixture *f = *state;
    struct machine recorded = {.stream_id = 1, .nonces = {.sender = {1}}},
                   machine = {.stream_id = STREAM, .nonces = {.sender = {2}}}, later = {.stream_id = 3};
    assert_true(open_session(f, &recorded, &shared)); /* replayed: its sender has no keys */
    assert_true(open_session(f, &machine, &shared));
    recorded.nonces.receiver[0] ^= 1; /* the session that was recorded */
    auth_session_derive(&recorded.keys, &shared, &recorded.nonces);
    assert_false(accepts_frame(f, &recorded, 0, 0));
    assert_null(f->session.chosen);
    assert_true(accepts_frame(f, &machine, 0, 0));
    assert_int_equal(f->session.chosen->stream_id, STREAM);
    assert_true(open_session(f, &machine, &shared)); /* the answer was lost */
    assert_false(open_session(f, &later, &shared));
    assert_int_equal(f->session.refused, 1);
}

static void another_key_gets_no_answer(void **state)
{
    struct fixture *f = *state;
    struct siphash_key other = shared;
    struct machine machine = {.stream_id = STREAM};
    other.k0 ^= 1;
    assert_false(open_session(f, &machine, &other));
    assert_false(accepts_frame(f, &machine, 0, 0));
}

static void frames_without_the_right_tag_are_refused(void **state)
{
    struct fixture *f = *state;
    struct machine m = {.stream_id = STREAM};
    assert_true(open_session(f, &m, &shared));
    assert_true(accepts_frame(f, &m, 0, 0));
    build(&m, FRAME_TRACE, 1, "payload", 7, &m.keys.to_sender, 1); /* reflected */
    assert_false(session_accepts(&f->session, &f->frames, &m.header, m.datagram));
    build(&m, FRAME_TRACE, 1, "payload", 7, &shared, 1);
    assert_false(session_accepts(&f->session, &f->frames, &m.header, m.datagram));
    build(&m, FRAME_TRACE, 1, "payload", 7, &m.keys.to_receiver, 1);
    m.header.kind = FRAME_TRACE; /* without a tag */
    assert_false(session_accepts(&f->session, &f->frames, &m.header, m.datagram));
    assert_true(accepts_frame(f, &m, 1, 1));
}

/* After 2^32 frames the numbers on the wire repeat; the tags do not. */
static void numbers_do_not_repeat(void **state)
{
    struct fixture *f = *state;
    struct machine m = {.stream_id = STREAM};
    assert_true(open_session(f, &m, &shared));
    f->frames.started = true;
    f->frames.counts.frames = 0xfffffff0;
    f->frames.next_seq = 0xfffffff0;
    assert_true(accepts_frame(f, &m, 0xfffffff1, 0xfffffff1));
    assert_true(accepts_frame(f, &m, 5, 0x100000005));
    assert_false(accepts_frame(f, &m, 5, 5));
    f->frames.counts.frames = 0x100000006;
    f->frames.next_seq = 6;
    assert_false(accepts_frame(f, &m, 6, 6));
    assert_true(accepts_frame(f, &m, 6, 0x100000006));
    struct {
        struct frame_header header;
        uint8_t room[FRAME_TAG_SIZE];
    } ack = {.header = {.kind = FRAME_ACK, .stream_id = STREAM, .seq = 6}};
    session_seal(&f->session, &f->frames, (uint8_t *)&ack);
    assert_true(auth_check((const uint8_t *)&ack, &m.keys.to_sender, 0x100000006));
}

/* The first frame's number need not be 0: `receive --test-first`. */
static void numbers_begin_where_the_owner_says(void **state)
{
    struct fixture *f = *state;
    struct machine m = {.stream_id = STREAM};
    f->frames.first = 0x2fffffff0;
    assert_true(open_session(f, &m, &shared));
    assert_false(accepts_frame(f, &m, 0xfffffff0, 0xfffffff0));
    assert_true(accepts_frame(f, &m, 0xfffffff0, 0x2fffffff0));
    f->frames.started = true;
    f->frames.counts.frames = 0x20;
    f->frames.next_seq = 0x10;
    assert_true(accepts_frame(f, &m, 0x10, 0x300000010));
}

/* A receiver that is started again accepts what the one before would have, and nothing else; not even that, if no
 * session was recorded. */
static void a_receiver_that_is_started_again_goes_on(void **state)
{
    struct fixture *f = *state;
    static struct session again;
    struct session_memory memory;
    struct machine m = {.stream_id = STREAM, .nonces = {.sender = {2}}}, other = {.stream_id = 3};
    assert_true(open_session(f, &m, &shared)); /* answered, but no frame has come */
    session_remember(&f->session, &memory);
    assert_true(session_init(&again, &shared));
    build(&m, FRAME_TRACE, 0, "payload", 7, &m.keys.to_receiver, 0);
    assert_false(session_accepts(&again, &f->frames, &m.header, m.datagram));
    session_recall(&again, &memory);
    assert_true(session_accepts(&again, &f->frames, &m.header, m.datagram));

    assert_true(open_session(f, &other, &shared));
    assert_true(accepts_frame(f, &m, 0, 0));
    f->frames.started = true;
    f->frames.counts.frames = f->frames.next_seq = 40;
    session_remember(&f->session, &memory);
    assert_true(session_init(&f->session, &shared));
    session_recall(&f->session, &memory);
    assert_non_null(f->session.chosen);
    assert_false(open_session(f, &other, &shared));
    assert_true(accepts_frame(f, &m, 41, 41));
    build(&other, FRAME_TRACE, 41, "payload", 7, &other.keys.to_receiver, 41);
    assert_false(session_accepts(&f->session, &f->frames, &other.header, other.datagram));
    build(&m, FRAME_TRACE, 41, "payload", 7, &m.keys.to_receiver, 41 + (1ull << 32));
    assert_false(session_accepts(&f->session, &f->frames, &m.header, m.datagram));
}

/* The next boot of the machine asks while this one's stream is received. Frames of this reception are not valid in the
 * next one. */
static void the_next_boot_has_a_session(void **state)
{
    struct fixture *f = *state;
    struct machine now = {.stream_id = STREAM}, next = {.stream_id = 3}, recorded;
    f->session.follow = true;
    assert_true(open_session(f, &now, &shared));
    assert_true(accepts_frame(f, &now, 0, 0));
    f->frames.started = true;
    f->frames.counts.frames = f->frames.next_seq = 40;
    assert_true(open_session(f, &next, &shared));
    assert_true(accepts_frame(f, &now, 41, 41));
    assert_null(f->session.next);
    assert_false(accepts_frame(f, &next, 0, 1)); /* another number */
    assert_null(f->session.next);
    assert_false(accepts_frame(f, &next, 0, 0)); /* it will be sent again */
    assert_non_null(f->session.next);

    recorded = now;
    assert_true(session_next(&f->session));
    f->frames.started = false;
    assert_true(open_session(f, &next, &shared)); /* repeated: the nonces stay */
    assert_true(open_session(f, &now, &shared));  /* this one gets other ones */
    assert_memory_not_equal(now.nonces.receiver, recorded.nonces.receiver, sizeof(now.nonces.receiver));
    assert_false(accepts_frame(f, &recorded, 0, 0));
    assert_true(accepts_frame(f, &next, 0, 0));
    assert_int_equal(f->session.chosen->stream_id, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_authentic_frame_chooses),        TEST(another_key_gets_no_answer),
        TEST(frames_without_the_right_tag_are_refused), TEST(numbers_do_not_repeat),
        TEST(numbers_begin_where_the_owner_says),       TEST(the_next_boot_has_a_session),
        TEST(a_receiver_that_is_started_again_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
