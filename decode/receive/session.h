/*
 * The receiver's side of authenticated frames: serial/wire/auth.h, docs/wire.md. Pure, but for a random number at the
 * start.
 *
 * Machines that know the key ask to begin a session; the stream of the first that then sends a valid frame is received.
 */
#ifndef DECODE_SESSION_H
#define DECODE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/receive/reassemble.h"
#include "serial/wire/auth.h"

#define SESSION_CANDIDATES 16u
#define SESSION_OPENED_MAX (FRAME_HEADER_SIZE + FRAME_TAG_SIZE + sizeof(struct auth_nonces))

struct session_candidate {
    bool present;
    uint32_t stream_id;
    uint64_t used; /* to find the oldest */
    struct auth_nonces nonces;
    struct auth_session keys;
};

struct session {
    struct siphash_key shared;
    uint8_t nonce[AUTH_NONCE_BYTES]; /* ours, the same for all sessions of this reception */
    uint64_t clock;
    struct session_candidate candidates[SESSION_CANDIDATES];
    struct session_candidate *chosen; /* whose stream is received; NULL: none yet */
    bool follow;                      /* set by the owner: sessions of the next boot may begin, too */
    struct session_candidate *next;   /* whose frames have come as well; NULL: none's */
    uint64_t refused;                 /* frames without the right tag */
};

/* What a session has agreed with senders, for a receiver that is started again. None of it is secret: the keys follow
 * from the shared key. */
struct session_memory {
    uint8_t nonce[AUTH_NONCE_BYTES];
    struct {
        uint32_t present, stream_id;
        struct auth_nonces nonces;
    } candidates[SESSION_CANDIDATES];
    int32_t chosen; /* its index, or -1 */
};

/* false: the system has no random number. */
bool session_init(struct session *session, const struct siphash_key *shared);

/* The next boot: forget the chosen session, and use another nonce for new ones. false: no random number. */
bool session_next(struct session *session);

void session_remember(const struct session *session, struct session_memory *memory);

/* Continue with what session_remember has stored. The shared key is set. */
void session_recall(struct session *session, const struct session_memory *memory);

/* Is a received frame, which frame_parse has accepted, authentic? A frame of a stream: its number must be near the one
 * that frames expects. The first such frame chooses the session. With follow, one of another session sets next, and is
 * not accepted: it will be sent again. */
bool session_accepts(struct session *session, const struct reassemble *frames, const struct frame_header *header,
                     const uint8_t *datagram);

/* The answer to a machine that asks to begin a session: its size in bytes at answer; 0: the frame is something else,
 * or not authentic. */
size_t session_open(struct session *session, const struct frame_header *header, const uint8_t *datagram,
                    uint8_t answer[SESSION_OPENED_MAX]);

/* Turn a frame to the machine, a header and its payload, into a datagram with a tag, for which there is room after it.
 * Returns the size of the datagram. A session must be chosen. */
size_t session_seal(const struct session *session, const struct reassemble *frames, uint8_t *frame);

#endif
