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

/* The place for a new one. */
static struct session_candidate *oldest(struct session *session)
{
    struct session_candidate *place = NULL;
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++) {
        struct session_candidate *candidate = &session->candidates[i];
        if (candidate != session->chosen && candidate != session->next && (!place || candidate->used < place->used))
            place = candidate;
    }
    return place;
}

/* Each number of a reception over UDP is delivered once, from the first one on. */
static uint64_t number_of(const struct reassemble *frames, uint32_t seq)
{
    return auth_number(frames->first + (frames->started ? frames->counts.frames : 0), seq);
}

/* Whose frame can it be? */
static struct session_candidate *sender_of(struct session *session, uint32_t stream_id)
{
    struct session_candidate *chosen = session->chosen;
    if (chosen && (!session->follow || chosen->stream_id == stream_id))
        return chosen;
    return find(session, stream_id);
}

bool session_accepts(struct session *session, const struct reassemble *frames, const struct frame_header *header,
                     const uint8_t *datagram)
{
    struct session_candidate *candidate = sender_of(session, header->stream_id);
    const bool other = session->chosen && candidate != session->chosen;
    const uint64_t number = other ? header->seq : number_of(frames, header->seq);
    if (!candidate || !(header->kind & FRAME_TAGGED) || header->stream_id != candidate->stream_id ||
        !auth_check(datagram, &candidate->keys.to_receiver, number)) {
        session->refused++;
        return false;
    }
    if (other)
        session->next = candidate;
    else
        session->chosen = candidate;
    return !other;
}

bool session_next(struct session *session)
{
    if (session->chosen)
        session->chosen->present = false;
    session->chosen = session->next = NULL;
    session->refused = 0;
    return getrandom(session->nonce, sizeof(session->nonce), 0) == (ssize_t)sizeof(session->nonce);
}

static struct session_candidate *add(struct session *session, uint32_t stream_id, const struct auth_nonces *nonces)
{
    struct session_candidate *place = oldest(session);
    *place = (struct session_candidate){.present = true, .stream_id = stream_id, .nonces = *nonces};
    auth_session_derive(&place->keys, &session->shared, nonces);
    return place;
}

/* The session that a request is about. After the choice the chosen machine may ask again, others may not, but for the
 * next boot. */
static struct session_candidate *candidate_for(struct session *session, uint32_t stream_id,
                                               const struct auth_nonces *nonces)
{
    struct session_candidate *candidate = find(session, stream_id);
    const bool open = !session->chosen || session->follow;
    if (candidate && memcmp(candidate->nonces.sender, nonces->sender, sizeof(nonces->sender)) == 0)
        return open || session->chosen == candidate ? candidate : NULL;
    return open && (!candidate || candidate != session->chosen) ? add(session, stream_id, nonces) : NULL;
}

void session_remember(const struct session *session, struct session_memory *memory)
{
    *memory = (struct session_memory){.chosen = -1};
    memcpy(memory->nonce, session->nonce, sizeof(memory->nonce));
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++) {
        const struct session_candidate *candidate = &session->candidates[i];
        memory->candidates[i].present = candidate->present;
        memory->candidates[i].stream_id = candidate->stream_id;
        memory->candidates[i].nonces = candidate->nonces;
        if (session->chosen == candidate)
            memory->chosen = (int32_t)i;
    }
}

void session_recall(struct session *session, const struct session_memory *memory)
{
    memcpy(session->nonce, memory->nonce, sizeof(session->nonce));
    for (unsigned i = 0; i < SESSION_CANDIDATES; i++) {
        if (!memory->candidates[i].present)
            continue;
        struct session_candidate *candidate =
            add(session, memory->candidates[i].stream_id, &memory->candidates[i].nonces);
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
    nonces = candidate->nonces;
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
