/*
 * Frames: the unit of transfer on the wire. A frame carries a run of bytes of one stream, an acknowledgement, a command
 * or an announcement.
 *
 * A stream is identified by (stream id, cpu, kind). It is a sequence of bytes with consecutive 64-bit offsets. Each CPU
 * has two streams: raw PT bytes, and records (serial/wire/record.h). Frames are numbered by seq across all streams of a
 * stream id, so that one acknowledgement window covers all of them.
 *
 * On the wire, a frame is a little-endian header of 32 bytes, followed by the payload. On a UART the payload's CRC-32C
 * follows in four bytes. In a datagram the header's CRC covers the payload, too: the UDP checksum is computed by NICs
 * and again by whatever changes the datagram on the way, and does not find exchanged words.
 *
 * Core. docs/wire.md is the specification.
 */
#ifndef SERIAL_WIRE_FRAME_H
#define SERIAL_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRAME_MAGIC 0x1a465455u /* "UTF\x1a": where to resynchronize */
#define FRAME_VERSION 3u
#define FRAME_SERIAL_VERSION 2u /* on a serial line, the oldest one that is the same */
#define FRAME_HEADER_SIZE 32u
#define FRAME_MAX_PAYLOAD 16384u

/* A sender that compresses: all of its data frames have this version, so that a receiver which cannot decompress
 * refuses the first. Other frames have the version above. */
#define FRAME_PACKED_VERSION 4u
#define FRAME_PACKED 0x40u     /* in the kind of a data frame: the payload is an LZ4 block */
#define FRAME_MAX_PLAIN 65536u /* stream bytes in it */

enum frame_kind {
    FRAME_TRACE = 1,    /* raw PT bytes of a CPU */
    FRAME_RECORDS = 2,  /* bytes of a CPU's record stream */
    FRAME_ACK = 3,      /* receiver to sender: payload is struct frame_ack */
    FRAME_COMMAND = 4,  /* receiver to sender: serial/wire/command.h */
    FRAME_ANNOUNCE = 5, /* broadcast by a receiver: its source address is the receiver's */
    FRAME_OPEN = 6,     /* the sender begins a session with a key: serial/wire/auth.h */
    FRAME_OPENED = 7    /* the receiver's answer */
};

/* In a datagram's kind: a tag follows the header. The header's CRC then covers only its first 28 bytes. */
#define FRAME_TAGGED 0x80u
#define FRAME_TAG_SIZE 16u

/* Flags of a frame. The receiver answers a frame that has FRAME_ACK_REQUEST with exactly one FRAME_ACK, and no other
 * frame. The other bits are the number of the request, which is another one if the frame is sent again. The FRAME_ACK
 * has the flags of the frame that it answers: so the sender knows when the request was sent. */
#define FRAME_ACK_REQUEST 0x0001u
#define FRAME_REQUEST_NUMBER(flags) ((uint32_t)(flags) >> 1 & 0x7fffu)

struct frame_header {
    uint32_t magic;
    uint8_t version;
    uint8_t kind; /* enum frame_kind, with FRAME_TAGGED in a datagram with a tag, and FRAME_PACKED */
    uint16_t cpu;
    uint32_t stream_id; /* identifies the boot: a random number */
    uint32_t
        seq; /* number of the frame; FRAME_ACK: the next one that the receiver expects; FRAME_COMMAND: its number */
    uint64_t offset; /* stream offset of the first payload byte, as it was before compression */
    uint16_t length; /* payload bytes */
    uint16_t flags;
    uint32_t crc; /* CRC-32C of the 28 bytes before; in a datagram of the payload, then of these 28 bytes */
};
#ifndef __cplusplus
_Static_assert(sizeof(struct frame_header) == FRAME_HEADER_SIZE, "docs/wire.md: a frame header is 32 bytes");
#endif

/* Payload of FRAME_ACK: bit i of received means that frame seq + 1 + i has arrived although seq has not. Words of zeros
 * at the end are not sent. */
#define FRAME_ACK_WORDS 16u
struct frame_ack {
    uint64_t received[FRAME_ACK_WORDS];
};

enum frame_error {
    FRAME_OK = 0,
    FRAME_SHORT, /* the header or the payload is incomplete so far: more bytes may follow */
    FRAME_BAD_MAGIC,
    FRAME_BAD_CRC,
    FRAME_BAD_VERSION, /* the CRC is correct: the sender uses another version */
    FRAME_BAD_KIND,
    FRAME_BAD_LENGTH
};
const char *frame_error_name(enum frame_error error);

/* Set magic, version and CRC. The caller has set the other fields. frame_header_seal is for a serial line, frame_seal
 * for a datagram whose payload has header->length bytes. frame_header_complete leaves the version as it is. */
void frame_header_seal(struct frame_header *header);
void frame_header_complete(struct frame_header *header);
void frame_seal(struct frame_header *header, const void *payload);

/* Turn the frame of a serial line at bytes, a header and its payload, into that of a datagram. */
void frame_seal_again(uint8_t *bytes);

/* Check the header at bytes and copy it. FRAME_SHORT has two cases: with fewer than FRAME_HEADER_SIZE bytes, *header is
 * unchanged; with more, it is valid, and only payload is missing. Foreign bytes give FRAME_BAD_MAGIC, not FRAME_SHORT,
 * as soon as one byte of the magic differs. */
enum frame_error frame_header_parse(struct frame_header *header, const uint8_t *bytes, size_t size);

/* The same for a datagram, which must have exactly one frame. The payload is at bytes + frame_payload_at(header). The
 * tag is not checked. */
enum frame_error frame_parse(struct frame_header *header, const uint8_t *bytes, size_t size);

/* Does it carry bytes of a stream? */
static inline bool frame_is_data(const struct frame_header *header)
{
    const unsigned kind = header->kind & ~FRAME_PACKED;

    return kind == FRAME_TRACE || kind == FRAME_RECORDS;
}

/* The most stream bytes of a frame like this one. */
static inline uint32_t frame_most_bytes(const struct frame_header *header)
{
    return header->version == FRAME_PACKED_VERSION ? FRAME_MAX_PLAIN : FRAME_MAX_PAYLOAD;
}

static inline size_t frame_payload_at(const struct frame_header *header)
{
    return FRAME_HEADER_SIZE + ((header->kind & FRAME_TAGGED) != 0 ? FRAME_TAG_SIZE : 0);
}

#ifdef __cplusplus
}
#endif

#endif
