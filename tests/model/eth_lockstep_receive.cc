/* The emulated wire: what the guest receives, and when. */
#include "eth_lockstep.h"

Bit32u internet_sum(const Bit8u *bytes, size_t size, Bit32u sum)
{
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += get_net2(bytes + i);
    if (size % 2 != 0)
        sum += Bit32u(bytes[size - 1]) << 8;
    while (sum >> 16 != 0)
        sum = (sum >> 16) + (sum & 0xffff);
    return sum;
}

void Lockstep::answer(const Bytes &payload)
{
    Bytes packet(headers, headers + HEADERS);
    Bit8u *ip = &packet[ETHERNET], *udp = ip + IPV4;

    memcpy(&packet[0], headers + 6, 6);
    memcpy(&packet[6], headers, 6);
    memcpy(ip + 12, headers + ETHERNET + 16, 4);
    memcpy(ip + 16, headers + ETHERNET + 12, 4);
    memcpy(udp, headers + ETHERNET + IPV4 + 2, 2);
    memcpy(udp + 2, headers + ETHERNET + IPV4, 2);
    put_net2(ip + 2, IPV4 + UDP + payload.size());
    put_net2(ip + 10, 0);
    put_net2(ip + 10, ~internet_sum(ip, IPV4, 0));
    put_net2(udp + 4, UDP + payload.size());
    put_net2(udp + 6, 0);
    packet.insert(packet.end(), payload.begin(), payload.end());
    ip = &packet[ETHERNET];
    udp = ip + IPV4;
    Bit16u sum = ~internet_sum(udp, UDP + payload.size(), internet_sum(ip + 12, 8, 17 + UDP + payload.size()));
    put_net2(udp + 6, sum == 0 ? 0xffff : sum);
    if (packet.size() < MIN_RX_PACKET_LEN)
        packet.resize(MIN_RX_PACKET_LEN);
    deliver_later(packet);
}

void Lockstep::occupy_wire(size_t frame_size)
{
    const size_t bytes = frame_size + 24; /* with preamble, FCS and the gap between frames */
    Bit64u now_ns = bx_pc_system.time_usec() * 1000;

    frames_sent++;
    bytes_sent += bytes;
    if (wire_free_ns < now_ns)
        wire_free_ns = now_ns;
    if (settings.rate != 0)
        wire_free_ns += bytes * 8000 / settings.rate;
}

void Lockstep::deliver_later(const Bytes &packet)
{
    Bit64u now = bx_pc_system.time_usec(), due = wire_free_ns / 1000 + settings.latency;

    if (due <= now)
        due = now + 1;
    deliveries.push_back({due, packet});
    if (deliveries.size() == 1)
        bx_pc_system.activate_timer(timer_index, (Bit32u)(due - now), 0);
}

void Lockstep::deliver_due()
{
    Bit64u now = bx_pc_system.time_usec();

    while (!deliveries.empty() && deliveries.front().due <= now) {
        Bytes packet;
        packet.swap(deliveries.front().packet);
        deliveries.pop_front();
        if ((rxstat(netdev) & BX_NETDEV_RXREADY) != 0)
            rxh(netdev, packet.data(), packet.size());
    }
    if (!deliveries.empty())
        bx_pc_system.activate_timer(timer_index, (Bit32u)(deliveries.front().due - now), 0);
}

void Lockstep::timer(void *self)
{
    ((Lockstep *)self)->deliver_due();
}
