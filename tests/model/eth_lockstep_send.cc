/* The emulated wire: what the guest sends, and what becomes of it on the way. */
#include "eth_lockstep.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace
{

enum { ARP_BYTES = 28, ARP_REQUEST = 1, ARP_REPLY = 2 };
const Bit8u peer_mac[6] = {0x52, 0x55, 0x0a, 0x00, 0x02, 0x02};

} // namespace

void Lockstep::sendpkt(void *bytes, unsigned size)
{
    const Bit8u *frame = (const Bit8u *)bytes;

    if (fd < 0 || size < ETHERNET)
        return;
    occupy_wire(size);
    if (get_net2(frame + 12) == 0x0806)
        take_arp(frame, size);
    else if (get_net2(frame + 12) == 0x0800)
        take_ipv4(frame, size);
}

void Lockstep::take_arp(const Bit8u *frame, size_t size)
{
    const Bit8u *arp = frame + ETHERNET;

    if (size < ETHERNET + ARP_BYTES || get_net2(arp + 6) != ARP_REQUEST || memcmp(arp + 14, arp + 24, 4) == 0)
        return;
    Bytes reply(MIN_RX_PACKET_LEN);
    memcpy(&reply[0], frame + 6, 6);
    memcpy(&reply[6], peer_mac, 6);
    memcpy(&reply[12], frame + 12, 2 + 6); /* type, and ARP's address types and sizes */
    put_net2(&reply[ETHERNET + 6], ARP_REPLY);
    memcpy(&reply[ETHERNET + 8], peer_mac, 6);
    memcpy(&reply[ETHERNET + 14], arp + 24, 4);
    memcpy(&reply[ETHERNET + 18], arp + 8, 6 + 4);
    deliver_later(reply);
}

void Lockstep::take_ipv4(const Bit8u *frame, size_t size)
{
    const Bit8u *ip = frame + ETHERNET, *udp = ip + IPV4;

    if (size < HEADERS || ip[0] != 0x45 || ip[9] != 17 || (get_net2(ip + 6) & 0x3fff) != 0)
        return;
    size_t total = get_net2(ip + 2), udp_size = get_net2(udp + 4);
    if (total > size - ETHERNET || udp_size < UDP || udp_size > total - IPV4) {
        BX_ERROR(("lockstep: a datagram's lengths do not fit: frame %u, IPv4 %u, UDP %u", (unsigned)size,
                  (unsigned)total, (unsigned)udp_size));
        return;
    }
    if (internet_sum(ip, IPV4, 0) != 0xffff) {
        BX_ERROR(("lockstep: a datagram's IPv4 header checksum is wrong"));
        return;
    }
    if (get_net2(udp + 6) != 0 && internet_sum(udp, udp_size, internet_sum(ip + 12, 8, 17 + udp_size)) != 0xffff) {
        BX_ERROR(("lockstep: a datagram's UDP checksum is wrong"));
        return;
    }
    if (is_dhcp(frame, udp_size)) {
        take_dhcp(frame, udp_size);
        return;
    }
    memcpy(headers, frame, HEADERS);
    take_payload(udp + UDP, udp_size - UDP);
}

bool Lockstep::is_dead() const
{
    Bit64u since = bx_pc_system.time_usec() - first_frame_at;

    return first_frame_at != 0 && since >= settings.dead_from && since < settings.dead_to;
}

/* The random numbers are drawn in the same order for every datagram, so that settings do not affect one another. */
void Lockstep::take_payload(const Bit8u *bytes, size_t size)
{
    Bytes payload(bytes, bytes + size);
    frame_header header = {};
    bool drop = chance(settings.drop), duplicate = chance(settings.duplicate);
    bool reorder = chance(settings.reorder), corrupt = chance(settings.corrupt);
    Bit32u bit = random() % (8 * (Bit32u)size);

    memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
    bool asks = header.magic == FRAME_MAGIC && (header.flags & FRAME_ACK_REQUEST) != 0;
    if (header.magic == FRAME_MAGIC && first_frame_at == 0)
        first_frame(header);
    if (drop || is_dead())
        return;
    if (corrupt && size >= FRAME_HEADER_SIZE) {
        payload[bit / 8] ^= 1 << bit % 8;
        asks = false;
    }
    if (reorder && overtaken.empty()) {
        overtaken.swap(payload);
        overtaken_asks = asks;
        return;
    }
    transmit(payload, asks);
    if (duplicate)
        transmit(payload, asks);
    if (!overtaken.empty()) {
        payload.swap(overtaken);
        overtaken.clear();
        transmit(payload, overtaken_asks);
    }
}

void Lockstep::transmit(const Bytes &payload, bool wait)
{
    Bit8u stale;

    /* Drop an answer that came too late. */
    while (patience == PATIENCE_MS && recv(fd, &stale, 1, MSG_DONTWAIT) >= 0)
        ;
    while (send(fd, payload.data(), payload.size(), 0) < 0) {
        if (errno == ENOBUFS)
            usleep(100);
        else if (errno != EINTR && errno != ECONNREFUSED) /* refused: reported for the previous datagram */
            break;
    }
    if (wait)
        wait_for_answer();
}

void Lockstep::wait_for_answer()
{
    pollfd one = {fd, POLLIN, 0};
    Bytes payload;

    for (;;) {
        if (poll(&one, 1, patience) <= 0 || !receive(payload, 0)) {
            BX_ERROR(("lockstep: the receiver does not answer"));
            patience = PATIENCE_MS;
            return;
        }
        if (payload.size() < FRAME_HEADER_SIZE || (payload[offsetof(frame_header, kind)] & ~FRAME_TAGGED) != FRAME_COMMAND)
            break;
        answer(payload);
    }
    patience = FIRST_PATIENCE_MS;
    if (!chance(settings.drop))
        answer(payload);
}

bool Lockstep::receive(Bytes &payload, int flags)
{
    payload.resize(65536);
    ssize_t size = recv(fd, payload.data(), payload.size(), flags);
    payload.resize(size < 0 ? 0 : size);
    return size >= 0;
}
