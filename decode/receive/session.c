#include "decode/receive/session.h"

#include <string.h>
#include <sys/random.h>

bool session_init(struct session *session, const struct siphash_key *shared)
{
    *session = (struct session){.shared = *shared};
    return getrandom(session->nonce, sizeof(session->nonce), 0) == (ssize_t)sizeof(session->nonce);
}

static struct session_candidate *find(struct session *session, uint32_t stream_id)
{
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++)
        if (session->candidates[i].present && session->candidates[i].stream_id == stream_id)
            return &session->candidates[i];
    return NULL;
}

static struct session_candidate *oldest(struct session *session)
{
    struct session_candidate *place = &session->candidates[0];
    for (unsigned i = 1; i < SESSION_CANDIDATES; i++)
        if (session->candidates[i].used < place->used)
            place = &session->candidates[i];
    return place;
}

/* The numbers of a reception over UDP begin with 0, and each is delivered once. */
static uint64_t number_of(const struct reassemble *frames, uint32_t seq)
{
    return frames->started ? auth_number(frames->counts.frames, seq) : seq;
}

bool session_accepts(struct session *session, const struct reassemble *frames, const struct frame_header *header,
                     const uint8_t *datagram)
{
    struct session_candidate *candidate = session->chosen ? session->chosen : find(session, header->stream_id);
    const bool good = candidate && header->kind & FRAME_TAGGED && header->stream_id == candidate->stream_id &&
                      auth_check(datagram, &candidate->keys.to_receiver, number_of(frames, header->seq));
    if (good)
        session->chosen = candidate;
    else
        session->refused++;
    return good;
}

static struct session_candidate *add(struct session *session, uint32_t stream_id, const struct auth_nonces *nonces)
{
    struct session_candidate *place = oldest(session);
    *place = (struct session_candidate){.present = true, .stream_id = stream_id, .nonces = *nonces};
    auth_session_derive(&place->keys, &session->shared, nonces);
    return place;
}

/* The session that a request is about. After the choice the chosen machine may ask again, others may not. */
static struct session_candidate *candidate_for(struct session *session, uint32_t stream_id,
                                               const struct auth_nonces *nonces)
{
    struct session_candidate *candidate = find(session, stream_id);
    if (candidate && memcmp(&candidate->nonces, nonces, sizeof(*nonces)) == 0)
        return session->chosen && session->chosen != candidate ? NULL : candidate;
    return session->chosen ? NULL : add(session, stream_id, nonces);
}

void session_remember(const struct session *session, struct session_memory *memory)
{
    *memory = (struct session_memory){.chosen = -1};
    memcpy(memory->nonce, session->nonce, sizeof(memory->nonce));
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++) {
        const struct session_candidate *candidate = &session->candidates[i];
        memory->candidates[i].present = candidate->present;
        memory->candidates[i].stream_id = candidate->stream_id;
        memcpy(memory->candidates[i].sender, candidate->nonces.sender, AUTH_NONCE_BYTES);
        if (session->chosen == candidate)
            memory->chosen = (int32_t)i;
    }
}

void session_recall(struct session *session, const struct session_memory *memory)
{
    struct auth_nonces nonces;
    memcpy(session->nonce, memory->nonce, sizeof(session->nonce));
    memcpy(nonces.receiver, memory->nonce, sizeof(nonces.receiver));
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++) {
        if (!memory->candidates[i].present)
            continue;
        memcpy(nonces.sender, memory->candidates[i].sender, sizeof(nonces.sender));
        struct session_candidate *candidate = add(session, memory->candidates[i].stream_id, &nonces);
        candidate->used = ++session->clock;
        if (memory->chosen == (int32_t)i)
            session->chosen = candidate;
    }
}

size_t session_open(struct session *session, const struct frame_header *header, const uint8_t *datagram,
                    uint8_t answer[SESSION_OPENED_MAX])
{
    struct auth_nonces nonces;
    if (header->kind != (FRAME_OPEN | FRAME_TAGGED) || header->length != sizeof(nonces.sender) ||
        !auth_check(datagram, &session->shared, 0))
        return 0;
    memcpy(nonces.sender, datagram + frame_payload_at(header), sizeof(nonces.sender));
    memcpy(nonces.receiver, session->nonce, sizeof(nonces.receiver));
    struct session_candidate *candidate = candidate_for(session, header->stream_id, &nonces);
    if (!candidate)
        return 0;
    candidate->used = ++session->clock;
    const struct frame_header opened = {.kind = FRAME_OPENED, .stream_id = header->stream_id, .length = sizeof(nonces)};
    memcpy(answer, &opened, sizeof(opened));
    memcpy(answer + sizeof(opened), &nonces, sizeof(nonces));
    return auth_seal(answer, &session->shared, 0);
}

size_t session_seal(const struct session *session, const struct reassemble *frames, uint8_t *frame)
{
    struct frame_header header;
    memcpy(&header, frame, sizeof(header));
    const uint64_t number = header.kind == FRAME_ACK ? number_of(frames, header.seq) : header.seq;
    return auth_seal(frame, &session->chosen->keys.to_sender, number);
}
