/* Kind: core, init */
/* DHCP: the messages that we send, all of which are built during boot. */
#include "serial/net/dhcp.h"

#include "serial/net/datagram.h"
#include "serial/net/dhcp_message.h"
#include "serial/net/net_bytes.h"

#define FLAG_BROADCAST 0x80u
#define MIN_BYTES 300u /* minimum of BOOTP: some relays drop shorter messages */

static uint8_t *put_option32(uint8_t *at, uint8_t number, uint32_t value)
{
    *at++ = number;
    *at++ = 4;
    net_put32(at, value);
    return at + 4;
}

/* Write a message up to the option with its type and the lease time, zero the rest, and return where the next option
 * goes. */
static uint8_t *start(uint8_t *message, const struct dhcp *dhcp, uint8_t type)
{
    uint8_t *at = message + OPTIONS;

    __builtin_memset(message, 0, DHCP_FRAME_MAX - DATAGRAM_HEADERS_BYTES);
    message[OP] = BOOTREQUEST;
    message[HTYPE] = HTYPE_ETHERNET;
    message[HLEN] = sizeof dhcp->mac;
    net_put32(message + XID, dhcp->xid);
    __builtin_memcpy(message + CHADDR, dhcp->mac, sizeof dhcp->mac);
    net_put32(message + COOKIE, DHCP_COOKIE);
    *at++ = OPTION_TYPE;
    *at++ = 1;
    *at++ = type;
    return put_option32(at, OPTION_LEASE, DHCP_FOR_EVER);
}

/* Complete the frame. at: the end of the options. Returns the size of the frame in bytes. */
static size_t finish(uint8_t *frame, uint8_t *at, struct datagram *datagram)
{
    *at++ = OPTION_END;
    const size_t bytes = (size_t)(at - (frame + DATAGRAM_HEADERS_BYTES));
    datagram->from_port = DHCP_CLIENT_PORT;
    datagram->to_port = DHCP_SERVER_PORT;
    return datagram_build(frame, datagram, bytes < MIN_BYTES ? MIN_BYTES : bytes);
}

static const uint8_t all_stations[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* A broadcast by a client without an address: RFC 2131, section 4.3.6, table 4. */
static size_t build(uint8_t *frame, const struct dhcp *dhcp, uint8_t type)
{
    uint8_t *message = frame + DATAGRAM_HEADERS_BYTES, *at = start(message, dhcp, type);
    struct datagram to_servers = {.from_mac = dhcp->mac, .to_mac = all_stations, .to = 0xffffffff};

    message[FLAGS] = FLAG_BROADCAST;
    if (type == TYPE_REQUEST) {
        at = put_option32(at, OPTION_REQUESTED_IP, dhcp->ip);
        at = put_option32(at, OPTION_SERVER, dhcp->server);
    }
    return finish(frame, at, &to_servers);
}

size_t dhcp_discover(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp)
{
    return build(frame, dhcp, TYPE_DISCOVER);
}

size_t dhcp_request(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp)
{
    return build(frame, dhcp, TYPE_REQUEST);
}

/* The same table, "RENEWING" and "REBINDING": the address is in ciaddr; options that name it or a server are forbidden.
 * The answer is sent to that address. */
size_t dhcp_renewal(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp)
{
    uint8_t *message = frame + DATAGRAM_HEADERS_BYTES, *at = start(message, dhcp, TYPE_REQUEST);
    const bool one = dhcp->server != 0;
    struct datagram datagram = {.from_mac = dhcp->mac,
                                .to_mac = one ? dhcp->server_mac : all_stations,
                                .from = dhcp->ip,
                                .to = one ? dhcp->server : 0xffffffff};

    net_put32(message + CIADDR, dhcp->ip);
    return finish(frame, at, &datagram);
}
