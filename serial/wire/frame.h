/*
 * Frames: what travels on the wire. Each carries a run of bytes of one stream, or an acknowledgement.
 *
 * A stream is named by (stream id, cpu, kind) and is a sequence of bytes with 64-bit offsets that never skips. Two
 * kinds of stream exist per CPU: the raw PT bytes, and the records (serial/wire/record.h). Frames are numbered by seq
 * across all streams of a stream id, so that one acknowledgement window covers them all.
 *
 * Layout on the wire, little-endian, 32 bytes, then the payload; on the UART four bytes CRC-32C of the payload follow
 * (over UDP the checksum that the NIC computes stands for it, so that root mode reads no trace byte).
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

#define FRAME_MAGIC 0x1a465455u /* "UTF\x1a": the resync mark */
#define FRAME_VERSION 2u
#define FRAME_HEADER_SIZE 32u
#define FRAME_MAX_PAYLOAD 16384u

enum frame_kind {
    FRAME_TRACE = 1,   /* raw PT bytes of a CPU */
    FRAME_RECORDS = 2, /* bytes of a CPU's record stream */
    FRAME_ACK = 3,     /* receiver to sender: payload is struct frame_ack */
    FRAME_COMMAND = 4, /* receiver to sender: serial/wire/command.h */
    FRAME_ANNOUNCE = 5 /* receiver to all: here I am */
};

/* The receiver answers a frame with this flag, and no other, with exactly one FRAME_ACK. */
#define FRAME_ACK_REQUEST 0x0001u

struct frame_header {
    uint32_t magic;
    uint8_t version;
    uint8_t kind; /* enum frame_kind */
    uint16_t cpu;
    uint32_t stream_id; /* this boot: taken from the TSC and the APIC id at start */
    uint32_t seq;    /* number of the frame; FRAME_ACK: the next one the receiver expects; FRAME_COMMAND: its number */
    uint64_t offset; /* of the first payload byte in its stream */
    uint16_t length; /* payload bytes */
    uint16_t flags;
    uint32_t crc; /* CRC-32C of the 28 bytes before */
};
#ifndef __cplusplus
_Static_assert(sizeof(struct frame_header) == FRAME_HEADER_SIZE, "docs/wire.md: a frame header is 32 bytes");
#endif

/* Payload of FRAME_ACK: bit i of received says that frame seq + 1 + i has arrived although seq has not. */
struct frame_ack {
    uint64_t received[4];
};

enum frame_error {
    FRAME_OK = 0,
    FRAME_SHORT, /* fewer bytes than a header or its payload need: more may come */
    FRAME_BAD_MAGIC,
    FRAME_BAD_CRC,
    FRAME_BAD_VERSION, /* the CRC is right: a different version speaks */
    FRAME_BAD_KIND,
    FRAME_BAD_LENGTH
};
const char *frame_error_name(enum frame_error error);

/* Set magic, version and CRC; the other fields are the caller's. */
void frame_header_seal(struct frame_header *header);

/* Check the header at bytes and copy it out. FRAME_SHORT tells either case: with fewer than FRAME_HEADER_SIZE bytes
 * *header is left alone; with more it is filled in and checked, and only payload is missing. Bytes of another program
 * are told from a short frame as soon as one byte of the magic is wrong. */
enum frame_error frame_header_parse(struct frame_header *header, const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
