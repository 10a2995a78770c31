/* Kind: shell, init */
/* channel=net: finding our own address by DHCP (net.ip=dhcp) and the receiver's by its announcement
 * (net.peer=announce). Runs only during boot. */
#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "serial/net/announce.h"
#include "serial/net/dhcp.h"
#include "serial/net/udp_state.h"

#define REQUEST_MS 1000u

/* Send the frame in lease.frames. The card has read it long before the next one is built. */
static void send_frame(struct udp_sink *s, size_t bytes)
{
    udp_send_frame(s, s->lease.frames_pa, (uint32_t)bytes);
    nic_sync_rings(&s->nic);
}

/* Copy the next received frame out of the ring. Returns its size in bytes; 0: there is none, or it is damaged. */
static uint32_t next_frame(struct udp_sink *s, uint8_t frame[E1000_RX_BUFFER_BYTES])
{
    nic_sync_rings(&s->nic);
    if (!udp_has_received(s))
        return 0;
    const uint32_t index = s->rx_next % UDP_RX_SLOTS;
    volatile struct e1000_rx_descriptor *rx = &s->rx[index];
    const uint32_t bytes = e1000_rx_bytes(rx, &s->rx_format);

    __builtin_memcpy(frame, s->rx_buffers + index * E1000_RX_BUFFER_BYTES, bytes);
    rx->address = s->rx_buffers_pa + index * E1000_RX_BUFFER_BYTES;
    rx->written_back = 0;
    nic_tail_set(s->nic.rx_tail, s->rx_next++ % UDP_RX_SLOTS);
    return bytes;
}

static void log_address(const struct dhcp *dhcp)
{
    const uint32_t ip = dhcp->ip, lease = dhcp->lease_seconds;
    char time[24] = " to the end";

    if (lease != 0 && lease != DHCP_FOR_EVER)
        format_text(time, sizeof time, " for %u s", lease);
    log_line("channel=net: DHCP: %u.%u.%u.%u is ours%s", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255, time);
}

/* Use the address, and build the frames that will renew its lease. */
static void take_address(struct udp_sink *s, uint64_t requested_at)
{
    struct udp_lease *l = &s->lease;
    struct dhcp any = l->dhcp;

    any.server = 0;
    (void)dhcp_renewal(l->frames, &l->dhcp);
    l->frame_bytes = (uint32_t)dhcp_renewal(l->frames + DHCP_FRAME_MAX, &any);
    s->link.ip = l->dhcp.ip;
    lease_start(&l->lease, &l->dhcp, clock_tsc_hz(), requested_at);
    log_address(&l->dhcp);
}

bool udp_find_address(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    const uint64_t interval = clock_tsc_hz() / 1000 * REQUEST_MS;
    struct dhcp *const dhcp = &s->lease.dhcp;
    uint8_t *const frame = s->lease.frames;
    uint64_t requested_at = start - interval;
    bool requested = false;

    *dhcp = (struct dhcp){.xid = s->dhcp_id};
    __builtin_memcpy(dhcp->mac, s->link.mac, sizeof dhcp->mac);
    for (uint64_t now; (now = tsc_read()) - start < timeout; io_pause()) {
        if (now - requested_at >= interval) { /* start again: a server may have disappeared after its offer */
            requested = false;
            send_frame(s, dhcp_discover(frame, dhcp));
            requested_at = now;
        }
        const uint32_t bytes = next_frame(s, s->boot_frame);
        switch (dhcp_take(dhcp, requested, s->boot_frame, bytes)) {
        case DHCP_OFFERED:
            requested = true;
            send_frame(s, dhcp_request(frame, dhcp));
            requested_at = now;
            break;
        case DHCP_AGREED:
            take_address(s, requested_at);
            return true;
        case DHCP_REFUSED:
            requested = false;
            break;
        case DHCP_IGNORED:
            break;
        }
    }
    return false;
}

/* A packet that is not an announcement, such as an ARP request for our address, is left in the ring for udp_receive,
 * which handles all packets later. */
bool udp_find_receiver(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    for (uint64_t now; (now = tsc_read()) - start < timeout; io_pause()) {
        nic_sync_rings(&s->nic);
        if (!udp_has_received(s))
            continue;
        const uint32_t index = s->rx_next % UDP_RX_SLOTS;
        const uint32_t bytes = e1000_rx_bytes(&s->rx[index], &s->rx_format);
        if (!announce_take(&s->link.peer, s->link.port, s->auth.required ? &s->auth.shared : NULL,
                           s->rx_buffers + index * E1000_RX_BUFFER_BYTES, bytes)) {
            udp_receive(s, now);
            continue;
        }
        (void)next_frame(s, s->boot_frame);
        log_line("channel=net: a receiver announces itself at %u.%u.%u.%u", s->link.peer >> 24,
                 s->link.peer >> 16 & 255, s->link.peer >> 8 & 255, s->link.peer & 255);
        return true;
    }
    return false;
}
