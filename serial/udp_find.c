/* channel=net: our own address and the receiver's, where the options leave them to be found. Shell; only a boot runs
 * it. */
#include "pt/msr.h"
#include "serial/announce.h"
#include "serial/clock.h"
#include "serial/dhcp.h"
#include "serial/io.h"
#include "serial/log.h"
#include "serial/udp_state.h"
#include "vmx/phys.h"

#define ASK_MS 1000u
#define FRAME_BYTES 1514u
_Static_assert(DHCP_FRAME_MAX <= FRAME_BYTES, "it fits into a packet");

/* The Ethernet header lies where a datagram's headers would, which are built anew afterwards; the rest in boot_frame,
 * which the card has read long before the next one is sent. */
static void send_frame(struct udp_sink *s, const uint8_t *frame, size_t size)
{
    const uint32_t index = s->tx_head % UDP_TX_SLOTS;
    struct udp_headers *headers = &s->headers[index];
    struct udp_slot *slot = &s->tx[index];

    __builtin_memcpy(headers->net, frame, NET_ETHERNET_BYTES);
    __builtin_memcpy(s->boot_frame, frame + NET_ETHERNET_BYTES, size - NET_ETHERNET_BYTES);
    headers->payload_bytes = UDP_UNBUILT;
    slot->headers = (struct e1000_tx_descriptor){virt_to_phys(headers->net),
                                                 (s->data_fields | NET_ETHERNET_BYTES) + size * s->paylen_unit};
    slot->payload = (struct e1000_tx_descriptor){
        virt_to_phys(s->boot_frame), s->data_fields | E1000_TX_EOP | E1000_TX_RS | (size - NET_ETHERNET_BYTES)};
    s->tx_head++;
    nic_give(s->nic.tx_tail, 2 * s->tx_head % (2 * UDP_TX_SLOTS));
    nic_carry(&s->nic);
}

/* Where frames are made and looked at: behind what is being sent. */
static uint8_t *frame_of(const struct udp_sink *s)
{
    return s->boot_frame + E1000_RX_BUFFER_BYTES;
}

/* The next frame that has arrived, copied; 0: none, or a damaged one. */
static uint32_t next_frame(struct udp_sink *s, uint8_t frame[E1000_RX_BUFFER_BYTES])
{
    nic_carry(&s->nic);
    if (!udp_has_received(s))
        return 0;
    const uint32_t index = s->rx_next % UDP_RX_SLOTS;
    volatile struct e1000_rx_descriptor *rx = &s->rx[index];
    const uint32_t bytes = e1000_rx_bytes(rx, &s->rx_format);

    __builtin_memcpy(frame, s->rx_buffers + index * E1000_RX_BUFFER_BYTES, bytes);
    rx->address = s->rx_buffers_pa + index * E1000_RX_BUFFER_BYTES;
    rx->written_back = 0;
    nic_give(s->nic.rx_tail, s->rx_next++ % UDP_RX_SLOTS);
    return bytes;
}

bool udp_find_address(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    uint8_t *frame = frame_of(s);
    const uint64_t interval = clock_tsc_hz() / 1000 * ASK_MS;
    struct dhcp dhcp = {.xid = s->stream_id};
    uint64_t asked = start - interval;
    bool requested = false;

    __builtin_memcpy(dhcp.mac, s->link.mac, sizeof dhcp.mac);
    for (uint64_t now; (now = tsc_read()) - start < timeout; io_pause()) {
        if (now - asked >= interval) { /* a server that has offered and gone is not waited for */
            requested = false;
            send_frame(s, frame, dhcp_discover(frame, &dhcp));
            asked = now;
        }
        const uint32_t bytes = next_frame(s, frame);
        switch (dhcp_take(&dhcp, requested, frame, bytes)) {
        case DHCP_OFFERED:
            requested = true;
            send_frame(s, frame, dhcp_request(frame, &dhcp));
            asked = now;
            break;
        case DHCP_AGREED:
            s->link.ip = dhcp.ip;
            log_line("channel=net: DHCP: %u.%u.%u.%u is ours for %u s", dhcp.ip >> 24, dhcp.ip >> 16 & 255,
                     dhcp.ip >> 8 & 255, dhcp.ip & 255, dhcp.lease_seconds);
            return true;
        case DHCP_REFUSED:
            requested = false;
            break;
        case DHCP_NOTHING:
            break;
        }
    }
    return false;
}

/* Whoever has an announcement for us may have to ask for our MAC address first: what is none goes the way of all
 * packets, which root pays for while the guest runs, so that nothing here may call a part of it. */
bool udp_find_receiver(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    uint8_t *frame = frame_of(s);

    for (uint64_t now; (now = tsc_read()) - start < timeout; io_pause()) {
        nic_carry(&s->nic);
        if (!udp_has_received(s))
            continue;
        const uint32_t index = s->rx_next % UDP_RX_SLOTS;
        const uint32_t bytes = e1000_rx_bytes(&s->rx[index], &s->rx_format);
        if (!announce_take(&s->link.peer, s->link.port, s->rx_buffers + index * E1000_RX_BUFFER_BYTES, bytes)) {
            udp_receive(s, now);
            continue;
        }
        (void)next_frame(s, frame);
        s->peer_found = false; /* by an answer to nobody's question */
        log_line("channel=net: a receiver announces itself at %u.%u.%u.%u", s->link.peer >> 24,
                 s->link.peer >> 16 & 255, s->link.peer >> 8 & 255, s->link.peer & 255);
        return true;
    }
    return false;
}
