/* Kind: shell */
#include "serial/net/udp_auth.h"

#include "base/init.h"
#include "serial/net/datagram.h"
#include "serial/net/udp_state.h"

/* The receiver has the key if it can answer our nonce. */
static __attribute__((cold, noinline)) void take_opened(struct udp_auth *auth, const struct frame_header *header,
                                                        const uint8_t *datagram)
{
    struct auth_nonces nonces;

    if (header->kind != (FRAME_OPENED | FRAME_TAGGED) || header->length != sizeof(nonces) ||
        !auth_check(datagram, &auth->shared, 0)) {
        return;
    }
    __builtin_memcpy(&nonces, datagram + frame_payload_at(header), sizeof(nonces));
    if (__builtin_memcmp(nonces.sender, auth->nonces.sender, sizeof(nonces.sender)) != 0) {
        return;
    }
    auth->nonces = nonces;
    auth_session_derive(&auth->session, &auth->shared, &nonces);
    auth->is_open = true;
}

/* An acknowledgement's number is that of a frame; a command has its own, from 1. */
static uint64_t number_of(const struct udp_sink *s, const struct frame_header *header)
{
    return header->kind == (FRAME_ACK | FRAME_TAGGED) ? auth_number(s->nr_sent, header->seq) : header->seq;
}

bool udp_auth_accepts(struct udp_sink *s, const struct frame_header *header, const uint8_t *datagram)
{
    struct udp_auth *auth = &s->auth;

    if (!auth->required) {
        return (header->kind & FRAME_TAGGED) == 0;
    }
    if ((header->kind & FRAME_TAGGED) == 0 || header->stream_id != s->stream_id) {
        return false;
    }
    if (!auth->is_open) {
        take_opened(auth, header, datagram);
        return false;
    }
    return auth_check(datagram, &auth->session.to_sender, number_of(s, header));
}

INIT_CODE size_t udp_auth_build_open(const struct udp_sink *s, uint8_t *frame)
{
    uint8_t *bytes = frame + DATAGRAM_HEADERS_BYTES;
    const struct frame_header header = {.kind = FRAME_OPEN,
                                        .stream_id = s->stream_id,
                                        .length = sizeof(s->auth.nonces.sender),
                                        .flags = FRAME_ACK_REQUEST};
    const struct datagram datagram = {.from_mac = s->link.mac,
                                      .to_mac = s->link.peer_mac,
                                      .from = s->link.ip,
                                      .to = s->link.peer,
                                      .from_port = s->link.port,
                                      .to_port = s->link.port};

    __builtin_memcpy(bytes, &header, sizeof(header));
    __builtin_memcpy(bytes + sizeof(header), s->auth.nonces.sender, sizeof(s->auth.nonces.sender));
    return datagram_build(frame, &datagram, auth_seal(bytes, &s->auth.shared, 0));
}
