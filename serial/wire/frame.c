/* Kind: core */
/* Frame headers: completing and checking them. Relies on a little-endian machine. */
#include "serial/wire/frame.h"

#include "serial/wire/crc32c.h"

#define FRAME_WHOLE_CRC_VERSION 3u
#define BYTES_BEFORE_CRC offsetof(struct frame_header, crc)
_Static_assert(BYTES_BEFORE_CRC == 28, "docs/wire.md: the CRC covers 28 bytes of the header");
_Static_assert(sizeof(struct frame_ack) == 128, "docs/wire.md: an acknowledgement has at most 128 bytes");

const char *frame_error_name(enum frame_error error)
{
    switch (error) {
    case FRAME_OK:
        return "no error";
    case FRAME_SHORT:
        return "frame is cut short";
    case FRAME_BAD_MAGIC:
        return "no frame starts here";
    case FRAME_BAD_CRC:
        return "frame's CRC is wrong";
    case FRAME_BAD_VERSION:
        return "frame has a version that this program does not know";
    case FRAME_BAD_KIND:
        return "frame has a kind that this version does not have";
    case FRAME_BAD_LENGTH:
        return "frame's length is out of range";
    }
    return "unknown frame error";
}

void frame_header_complete(struct frame_header *header)
{
    header->magic = FRAME_MAGIC;
    header->crc = crc32c(header, BYTES_BEFORE_CRC);
}

void frame_header_seal(struct frame_header *header)
{
    header->version = FRAME_VERSION;
    frame_header_complete(header);
}

static uint32_t crc_of_frame(const struct frame_header *header, const void *payload)
{
    const uint32_t state = crc32c_update(CRC32C_START, payload, header->length);

    return crc32c_finish(crc32c_update(state, header, BYTES_BEFORE_CRC));
}

void frame_seal(struct frame_header *header, const void *payload)
{
    header->magic = FRAME_MAGIC;
    header->version = FRAME_VERSION;
    header->crc = crc_of_frame(header, payload);
}

void frame_seal_again(uint8_t *bytes)
{
    struct frame_header header;

    __builtin_memcpy(&header, bytes, sizeof(header));
    frame_seal(&header, bytes + FRAME_HEADER_SIZE);
    __builtin_memcpy(bytes, &header, sizeof(header));
}

/* Compare the magic, as far as there are bytes. */
static bool magic_matches(const uint8_t *bytes, size_t size)
{
    uint32_t first = FRAME_MAGIC;

    if (size >= sizeof(first)) {
        __builtin_memcpy(&first, bytes, sizeof(first));
    } else {
        __builtin_memcpy(&first, bytes, size);
    }
    return first == FRAME_MAGIC;
}

static enum frame_error check_fields(const struct frame_header *header)
{
    if (header->version < FRAME_SERIAL_VERSION || header->version > FRAME_PACKED_VERSION) {
        return FRAME_BAD_VERSION;
    }
    const unsigned kind = header->kind & ~(FRAME_TAGGED | FRAME_PACKED);

    if (kind < FRAME_TRACE || kind > ((header->kind & FRAME_PACKED) != 0 ? FRAME_RECORDS : FRAME_OPENED) ||
        ((header->kind & FRAME_PACKED) != 0 && header->version != FRAME_PACKED_VERSION)) {
        return FRAME_BAD_KIND;
    }
    if (header->length > FRAME_MAX_PAYLOAD ||
        (kind == FRAME_ACK && (header->length > sizeof(struct frame_ack) || header->length % sizeof(uint64_t) != 0))) {
        return FRAME_BAD_LENGTH;
    }
    return FRAME_OK;
}

enum frame_error frame_header_parse(struct frame_header *header, const uint8_t *bytes, size_t size)
{
    enum frame_error error;

    if (!magic_matches(bytes, size)) {
        return FRAME_BAD_MAGIC;
    }
    if (size < FRAME_HEADER_SIZE) {
        return FRAME_SHORT;
    }
    __builtin_memcpy(header, bytes, FRAME_HEADER_SIZE);
    if (header->crc != crc32c(bytes, BYTES_BEFORE_CRC)) {
        return FRAME_BAD_CRC;
    }
    error = check_fields(header);
    if (error == FRAME_OK && size - FRAME_HEADER_SIZE < header->length) {
        return FRAME_SHORT;
    }
    return error;
}

enum frame_error frame_parse(struct frame_header *header, const uint8_t *bytes, size_t size)
{
    if (!magic_matches(bytes, size)) {
        return FRAME_BAD_MAGIC;
    }
    if (size < FRAME_HEADER_SIZE) {
        return FRAME_SHORT;
    }
    __builtin_memcpy(header, bytes, FRAME_HEADER_SIZE);
    if (header->version < FRAME_WHOLE_CRC_VERSION) { /* their CRC is that of the header only */
        return header->crc == crc32c(bytes, BYTES_BEFORE_CRC) ? FRAME_BAD_VERSION : FRAME_BAD_CRC;
    }
    const size_t whole = frame_payload_at(header) + header->length;
    if (size != whole) {
        return size < whole ? FRAME_SHORT : FRAME_BAD_LENGTH;
    }
    if (header->crc != ((header->kind & FRAME_TAGGED) != 0 ? crc32c(bytes, BYTES_BEFORE_CRC)
                                                           : crc_of_frame(header, bytes + FRAME_HEADER_SIZE))) {
        return FRAME_BAD_CRC;
    }
    return check_fields(header);
}
