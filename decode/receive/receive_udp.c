#include "decode/receive/receive_udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/receive/announce.h"
#include "serial/wire/command.h"

#define BATCH 64
#define DATAGRAM_MAX (FRAME_HEADER_SIZE + FRAME_TAG_SIZE + FRAME_MAX_PAYLOAD)
#define WAIT_MILLISECONDS 100

struct batch {
    struct mmsghdr messages[BATCH];
    struct iovec vectors[BATCH];
    struct sockaddr_in senders[BATCH];
    uint8_t datagrams[BATCH][DATAGRAM_MAX];
};

static int open_socket(const char *address, uint16_t port, struct error *error)
{
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (address && inet_pton(AF_INET, address, &local.sin_addr) != 1) {
        error_set(error, ERROR_NO_ADDRESS, 0, "%s", address);
        return -1;
    }
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    /* More than a whole window of the largest frames; root may exceed the system's limit. */
    int size = 32 << 20;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof(local)) != 0) {
        error_set(error, ERROR_NO_PORT, port, "%s", address ? address : "all addresses");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

/* The machine's address, from its frames. */
struct way {
    int fd;
    bool known;
    struct sockaddr_in to;
    const struct reception *reception;
};

/* Send a frame, a header and its payload, for whose tag there is room after it. */
static bool send_frame(const struct reception *reception, int fd, uint8_t *frame, size_t size,
                       const struct sockaddr_in *to)
{
    if (reception->session)
        size = session_seal(reception->session, &reception->frames, frame);
    else
        frame_seal_again(frame);
    return sendto(fd, frame, size, 0, (const struct sockaddr *)to, sizeof(*to)) == (ssize_t)size;
}

static bool send_command(void *context, const uint8_t *frame, size_t size)
{
    const struct way *way = context;
    uint8_t datagram[COMMAND_FRAME_MAX + FRAME_TAG_SIZE];
    if (!way->known || size > COMMAND_FRAME_MAX)
        return false;
    memcpy(datagram, frame, size);
    return send_frame(way->reception, way->fd, datagram, size, &way->to);
}

static void batch_init(struct batch *batch)
{
    for (size_t i = 0; i < BATCH; i++) {
        batch->vectors[i] = (struct iovec){batch->datagrams[i], DATAGRAM_MAX};
        batch->messages[i].msg_hdr = (struct msghdr){.msg_name = &batch->senders[i],
                                                     .msg_namelen = sizeof(batch->senders[i]),
                                                     .msg_iov = &batch->vectors[i],
                                                     .msg_iovlen = 1};
    }
}

static uint64_t source_of(const struct sockaddr_in *from)
{
    return (uint64_t)from->sin_addr.s_addr << 16 | from->sin_port;
}

static bool answer_frame(struct reception *reception, const struct frame_header *asked, int fd,
                         const struct sockaddr_in *to)
{
    struct {
        struct frame_header header;
        struct frame_ack ack;
        uint8_t room[FRAME_TAG_SIZE];
    } reply;
    _Static_assert(sizeof(reply) == FRAME_HEADER_SIZE + sizeof(struct frame_ack) + FRAME_TAG_SIZE, "no padding");
    if (!reception_answer(reception, source_of(to), asked, &reply.header, &reply.ack))
        return false;
    /* A reply that cannot be sent counts as lost: the sender repeats its request. */
    send_frame(reception, fd, (uint8_t *)&reply, FRAME_HEADER_SIZE + (size_t)reply.header.length, to);
    return true;
}

/* With a key: is it an authentic frame? A request to begin a session is answered here, once what is agreed is written:
 * the machine does not ask a receiver that is started again. */
static bool is_authentic(struct reception *reception, int fd, const struct frame_header *header, const uint8_t *bytes,
                         const struct sockaddr_in *from)
{
    uint8_t answer[SESSION_OPENED_MAX];
    const size_t size = session_open(reception->session, header, bytes, answer);
    if (size > 0) {
        if (!reception_commit(reception))
            reception->store_failed = true;
        else
            (void)!sendto(fd, answer, size, 0, (const struct sockaddr *)from, sizeof(*from));
        return false;
    }
    return session_accepts(reception->session, &reception->frames, header, bytes);
}

/* size: 0 if the datagram was larger than any frame. */
static bool take_datagram(struct reception *reception, struct way *way, const uint8_t *bytes, size_t size,
                          const struct sockaddr_in *from)
{
    struct frame_header header;
    enum frame_error parsed = frame_parse(&header, bytes, size);
    if (parsed == FRAME_BAD_VERSION)
        reception->other_version = header.version;
    if (parsed != FRAME_OK) {
        reception->bad_frames++;
        return true;
    }
    if (reception->session && !is_authentic(reception, way->fd, &header, bytes, from))
        return !reception->store_failed;
    const uint8_t *payload = bytes + frame_payload_at(&header);
    if (reception->session)
        header.kind &= (uint8_t)~FRAME_TAGGED;
    else
        reception->tagged = reception->tagged || header.kind & FRAME_TAGGED;
    if (!reception_take(reception, source_of(from), &header, payload))
        return !reception->store_failed;
    if (source_of(from) == reception->source) {
        way->known = true;
        way->to = *from;
    }
    return !(header.flags & FRAME_ACK_REQUEST) || answer_frame(reception, &header, way->fd, from);
}

/* A datagram that was cut short may look like a whole frame. */
static size_t size_of(const struct mmsghdr *message)
{
    return message->msg_hdr.msg_flags & MSG_TRUNC ? 0 : message->msg_len;
}

/* Take the datagrams that have arrived; wait a moment for the first. */
static bool take_batch(struct reception *reception, struct way *way, struct batch *batch)
{
    struct pollfd wait = {.fd = way->fd, .events = POLLIN};
    if (poll(&wait, 1, WAIT_MILLISECONDS) <= 0)
        return store_flush(reception->store);
    for (size_t i = 0; i < BATCH; i++)
        batch->messages[i].msg_hdr.msg_namelen = sizeof(batch->senders[i]);
    int received = recvmmsg(way->fd, batch->messages, BATCH, MSG_DONTWAIT, NULL);
    if (received < 0 && errno != EINTR && errno != EAGAIN && errno != ECONNREFUSED)
        return error_set(&reception->error, ERROR_UDP, 0, "UDP");
    for (int i = 0; i < received; i++)
        if (!take_datagram(reception, way, batch->datagrams[i], size_of(&batch->messages[i]), &batch->senders[i]))
            return false;
    return true;
}

#define FOLLOW_SILENCE 3.0 /* seconds after which the machine may have been reset */

/* Once a second, until the first frame arrives. With follow also for the machine's next boot, which may wait for it. */
static void announce(const struct reception *reception, int fd, uint16_t port, const struct sockaddr_in *to)
{
    static double announced;
    const double now = monotonic_seconds();
    const bool silent = reception->follow && now - reception->last_frame > FOLLOW_SILENCE;
    if (!reception->announce || (reception->frames.started && !silent) || now - announced < 1)
        return;
    announced = now;
    announce_send(fd, port, to, reception->session ? &reception->session->shared : NULL);
}

enum reception_outcome receive_udp(struct reception *reception, const char *address, uint16_t port)
{
    static struct batch batch;
    struct sockaddr_in to;
    if (reception->announce_to && !announce_parse(&to, reception->announce_to, port)) {
        error_set(&reception->error, ERROR_NO_TARGET, 0, "%s", reception->announce_to);
        return RECEPTION_FAILED;
    }
    int fd = open_socket(address, port, &reception->error);
    if (fd < 0)
        return RECEPTION_FAILED;
    static struct way way;
    way = (struct way){.fd = fd, .reception = reception};
    batch_init(&batch);
    reception->send = send_command;
    reception->send_context = &way;
    enum reception_outcome outcome;
    while ((outcome = reception_check(reception)) == RECEPTION_CONTINUES) {
        announce(reception, fd, port, reception->announce_to ? &to : NULL);
        if (!take_batch(reception, &way, &batch)) {
            outcome = RECEPTION_FAILED;
            break;
        }
    }
    close(fd);
    return outcome;
}
