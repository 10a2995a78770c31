/*
 * Any datagrams, from several senders, as what the receiver gets: with and without a key nothing but a full disk stops
 * it, and what is stored is a capture.
 *
 * The input: a byte of flags, and datagrams: a byte of the sender and of flags, two of the size, and the bytes. With
 * bit 7 the frame's magic, version, length and CRC are made right; with bit 5, too, they are those of a sender that
 * compresses. With bit 0 of the first byte the receiver has a key; then bit 6 of a datagram's makes its tag right, too.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/capture.h"
#include "decode/receive/reception.h"
#include "serial/wire/crc32c.h"
#include "tests/fuzz/fuzz.h"

#define MOST 2048u
#define STREAM 0x12345678u

static const struct siphash_key key = {1, 2};
static char directory[64];
static struct reception reception;

static void remove_directory(void)
{
    rmdir(directory);
}

static void make_directory(void)
{
    snprintf(directory, sizeof(directory), "%s/fuzz-receive-XXXXXX", access("/dev/shm", W_OK) ? "." : "/dev/shm");
    DEMAND(mkdtemp(directory));
    atexit(remove_directory);
}

/* As auth_seal, with the version that the header has. */
static size_t seal(uint8_t *bytes, struct frame_header *header, bool tag)
{
    const struct session *session = reception.session;
    uint8_t *payload = bytes + FRAME_HEADER_SIZE;
    if (tag) {
        payload += FRAME_TAG_SIZE;
        memmove(payload, bytes + FRAME_HEADER_SIZE, header->length);
        header->kind |= FRAME_TAGGED;
        frame_header_complete(header);
        auth_tag(bytes + FRAME_HEADER_SIZE, session->chosen ? &session->chosen->keys.to_receiver : &key, header->seq,
                 header, payload);
    } else {
        header->crc = crc32c_finish(
            crc32c_update(crc32c_update(CRC32C_START, payload, header->length), header, FRAME_HEADER_SIZE - 4));
    }
    memcpy(bytes, header, sizeof(*header));
    return (size_t)(payload - bytes) + header->length;
}

/* Returns the size of the datagram. */
static size_t mend(uint8_t *bytes, size_t size, bool compresses, bool tag)
{
    struct frame_header header;
    if (size < FRAME_HEADER_SIZE)
        return size;
    memcpy(&header, bytes, sizeof(header));
    header.kind &= (uint8_t)~FRAME_TAGGED;
    header.length = (uint16_t)(size - FRAME_HEADER_SIZE);
    header.stream_id = STREAM + (header.stream_id & 3);
    header.seq &= 0x800000ff;
    header.magic = FRAME_MAGIC;
    header.version = compresses ? FRAME_PACKED_VERSION : FRAME_VERSION;
    return seal(bytes, &header, tag);
}

/* As decode/receive/receive_udp.c does. */
static void take(uint64_t source, const uint8_t *bytes, size_t size)
{
    uint8_t answer[SESSION_OPENED_MAX];
    struct frame_header header, ack_header;
    struct frame_ack ack;
    if (frame_parse(&header, bytes, size) != FRAME_OK)
        return;
    if (reception.session && (session_open(reception.session, &header, bytes, answer) > 0 ||
                              !session_accepts(reception.session, &reception.frames, &header, bytes)))
        return;
    const uint8_t *payload = bytes + frame_payload_at(&header);
    if (reception.session)
        header.kind &= (uint8_t)~FRAME_TAGGED;
    if (!reception_take(&reception, source, &header, payload))
        return;
    if (header.flags & FRAME_ACK_REQUEST && reception_answer(&reception, source, &header, &ack_header, &ack))
        DEMAND(ack_header.kind == FRAME_ACK && ack_header.stream_id == header.stream_id);
}

static void take_all(const uint8_t *data, size_t size)
{
    static uint8_t bytes[MOST + FRAME_TAG_SIZE];
    while (size >= 3) {
        const uint8_t flags = data[0];
        size_t part = (size_t)(data[1] | data[2] << 8);
        part = part < size - 3 ? part : size - 3;
        part = part < MOST ? part : MOST;
        memcpy(bytes, data + 3, part);
        take(flags & 7, bytes, flags & 128 ? mend(bytes, part, flags & 32, reception.session && flags & 64) : part);
        data += 3 + part;
        size -= 3 + part;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session session;
    struct error error = {0};
    if (size < 1)
        return 0;
    if (!directory[0])
        make_directory();
    reception = (struct reception){.store = store_create(directory, &error)};
    DEMAND(reception.store);
    if (data[0] & 1) {
        DEMAND(session_init(&session, &key));
        reception.session = &session;
    }
    reception_init(&reception, false);
    take_all(data + 1, size - 1);
    store_settle(reception.store);
    store_flush(reception.store);
    const enum error_kind kind = store_error(reception.store)->kind;
    DEMAND(kind == ERROR_NONE || kind == ERROR_CANNOT_WRITE_AT); /* at an offset that no file system has */
    reception_free(&reception);
    store_discard(reception.store);
    return 0;
}
