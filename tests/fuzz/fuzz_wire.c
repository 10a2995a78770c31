/*
 * Any bytes as what the hypervisor receives: Ethernet frames (ARP, IPv4, UDP, DHCP, announcements), datagrams with
 * frames, commands, and bytes of a serial line. Nothing is read past the end, and what is accepted is what it should
 * be.
 *
 * The input: a byte of flags, and the bytes. With bit 0 the checksums and CRCs are made right, so that what comes after
 * them is reached.
 */
#include <string.h>

#include "serial/net/announce.h"
#include "serial/net/datagram.h"
#include "serial/net/dhcp.h"
#include "serial/net/net.h"
#include "serial/wire/auth.h"
#include "serial/wire/command.h"
#include "serial/wire/crc32c.h"
#include "tests/fuzz/fuzz.h"

#define MOST 2048u
#define OURS 0x0a00020fu
#define PEER 0x0a000202u
#define STREAM 0x12345678u

static const struct siphash_key key = {1, 2};

static void put_sum(uint8_t *ip)
{
    uint32_t sum = 0;
    ip[10] = ip[11] = 0;
    for (unsigned i = 0; i < 20; i += 2)
        sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    ip[10] = (uint8_t) ~(sum >> 8);
    ip[11] = (uint8_t)~sum;
}

/* A frame that a datagram has: with the right magic, version, lengths and CRCs. */
static void mend_frame(uint8_t *bytes, size_t size)
{
    struct frame_header header;
    struct command_head head;
    if (size < FRAME_HEADER_SIZE)
        return;
    memcpy(&header, bytes, sizeof(header));
    header.kind &= (uint8_t)~FRAME_TAGGED;
    header.length = (uint16_t)(size - FRAME_HEADER_SIZE);
    header.stream_id = STREAM;
    memcpy(bytes, &header, sizeof(header));
    if (header.length >= sizeof(head)) {
        memcpy(&head, bytes + sizeof(header), sizeof(head));
        head.crc = crc32c(bytes + sizeof(header) + 4, header.length - 4u);
        memcpy(bytes + sizeof(header), &head, sizeof(head));
    }
    frame_seal_again(bytes);
}

static void take_command(struct command_box *box, const struct frame_header *header, const uint8_t *payload)
{
    struct command command;
    const uint32_t tail = box->tail;
    if (!command_take(box, STREAM, header, payload))
        return;
    DEMAND(box->tail == tail + 1 && command_at(box, tail, &command) == COMMAND_FOUND);
    DEMAND(command.number == header->seq && memchr(command.text, 0, sizeof(command.text)));
    command_done(box, box->tail);
}

static void take_datagram(const uint8_t *bytes, size_t size)
{
    static struct command_box box;
    struct frame_header header;
    if (frame_parse(&header, bytes, size) != FRAME_OK)
        return;
    DEMAND(frame_payload_at(&header) + header.length == size);
    DEMAND((header.kind & FRAME_TAGGED) == 0 || !auth_check(bytes, &key, header.seq));
    if ((header.kind & FRAME_TAGGED) == 0 && header.kind != FRAME_ACK)
        take_command(&box, &header, bytes + FRAME_HEADER_SIZE);
}

static void take_packet(const uint8_t *frame, size_t size)
{
    struct net_link link = {.ip = OURS, .peer = PEER, .port = 21845};
    struct dhcp dhcp = {.xid = 7};
    struct datagram datagram;
    uint8_t reply[NET_ARP_FRAME_BYTES];
    const uint8_t *payload = frame;
    size_t payload_bytes = 0;
    uint32_t ip;
    if (net_receive(&link, frame, size, reply, &payload, &payload_bytes) == NET_DATAGRAM) {
        DEMAND(payload >= frame && payload_bytes <= size && payload + payload_bytes <= frame + size);
        take_datagram(payload, payload_bytes);
    }
    if (datagram_parse(&datagram, frame, size))
        DEMAND(datagram.payload >= frame && datagram.payload + datagram.payload_bytes <= frame + size);
    dhcp_take(&dhcp, size % 2, frame, size);
    announce_take(&ip, 21845, NULL, frame, size);
    DEMAND(!announce_take(&ip, 21845, &key, frame, size));
}

static void take_line(const uint8_t *bytes, size_t size)
{
    struct command_line line = {0};
    struct command_box box = {0};
    for (size_t i = 0; i < size; i++) {
        command_line_take(&line, &box, STREAM, bytes[i]);
        DEMAND(line.used < sizeof(line.bytes));
        command_done(&box, box.tail);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST)
        return 0;
    const bool mend = data[0] & 1;
    uint8_t *bytes = malloc(size); /* its end is known to a sanitizer */
    DEMAND(bytes);
    memcpy(bytes, data + 1, --size);
    take_line(bytes, size);
    if (mend && size >= DATAGRAM_HEADERS_BYTES) {
        mend_frame(bytes + DATAGRAM_HEADERS_BYTES, size - DATAGRAM_HEADERS_BYTES);
        put_sum(bytes + 14);
    }
    take_packet(bytes, size);
    if (mend)
        mend_frame(bytes, size);
    take_datagram(bytes, size);
    free(bytes);
    return 0;
}
