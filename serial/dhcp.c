#include "serial/dhcp.h"

#include "serial/datagram.h"

#define SERVER_PORT 67u
#define CLIENT_PORT 68u

/* Offsets in the message: RFC 2131, figure 1. */
enum { OP = 0, HTYPE = 1, HLEN = 2, XID = 4, FLAGS = 10, YIADDR = 16, CHADDR = 28, COOKIE = 236, OPTIONS = 240 };
#define BOOTREQUEST 1u
#define BOOTREPLY 2u
#define ETHERNET 1u
#define FLAG_BROADCAST 0x80u
#define MIN_BYTES 300u /* BOOTP's: some relays drop less */

static const uint8_t cookie[4] = {99, 130, 83, 99};

/* RFC 2132, by number. */
enum { OPTION_PAD = 0, OPTION_REQUESTED_IP = 50, OPTION_LEASE = 51, OPTION_TYPE = 53, OPTION_SERVER = 54 };
enum { OPTION_END = 255 };
enum { TYPE_DISCOVER = 1, TYPE_OFFER = 2, TYPE_REQUEST = 3, TYPE_ACK = 5, TYPE_NAK = 6 };
#define LEASE_FOR_EVER 0xffffffffu /* nothing renews it while the guest runs */

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint8_t *put_option32(uint8_t *at, uint8_t number, uint32_t value)
{
    *at++ = number;
    *at++ = 4;
    put32(at, value);
    return at + 4;
}

static size_t build(uint8_t *frame, const struct dhcp *dhcp, uint8_t type)
{
    uint8_t *message = frame + DATAGRAM_HEADERS_BYTES, *at = message + OPTIONS;
    const struct datagram to_servers = {
        .from_mac = dhcp->mac, .to = 0xffffffff, .from_port = CLIENT_PORT, .to_port = SERVER_PORT};

    __builtin_memset(message, 0, DHCP_FRAME_MAX - DATAGRAM_HEADERS_BYTES);
    message[OP] = BOOTREQUEST;
    message[HTYPE] = ETHERNET;
    message[HLEN] = sizeof dhcp->mac;
    put32(message + XID, dhcp->xid);
    message[FLAGS] = FLAG_BROADCAST;
    __builtin_memcpy(message + CHADDR, dhcp->mac, sizeof dhcp->mac);
    __builtin_memcpy(message + COOKIE, cookie, sizeof cookie);
    *at++ = OPTION_TYPE;
    *at++ = 1;
    *at++ = type;
    at = put_option32(at, OPTION_LEASE, LEASE_FOR_EVER);
    if (type == TYPE_REQUEST) {
        at = put_option32(at, OPTION_REQUESTED_IP, dhcp->ip);
        at = put_option32(at, OPTION_SERVER, dhcp->server);
    }
    *at++ = OPTION_END;
    const size_t bytes = (size_t)(at - message);
    return datagram_build_broadcast(frame, &to_servers, bytes < MIN_BYTES ? MIN_BYTES : bytes);
}

size_t dhcp_discover(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp)
{
    return build(frame, dhcp, TYPE_DISCOVER);
}

size_t dhcp_request(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp)
{
    return build(frame, dhcp, TYPE_REQUEST);
}

/* What an answer's options say; 0: not there. */
struct answer {
    uint8_t type;
    uint32_t server, lease;
};

/* false: an option reaches behind the message's end. Its end mark may be missing. */
static bool parse_options(struct answer *answer, const uint8_t *at, size_t size)
{
    *answer = (struct answer){0};
    while (size > 0 && *at != OPTION_END) {
        if (*at == OPTION_PAD) {
            at++, size--;
            continue;
        }
        if (size < 2 || size - 2 < at[1])
            return false;
        const uint8_t number = at[0], length = at[1], *value = at + 2;
        if (number == OPTION_TYPE && length == 1)
            answer->type = *value;
        else if (number == OPTION_SERVER && length == 4)
            answer->server = get32(value);
        else if (number == OPTION_LEASE && length == 4)
            answer->lease = get32(value);
        at += 2u + length;
        size -= 2u + length;
    }
    return true;
}

/* A server's message in our exchange. */
static bool is_answer(const struct dhcp *dhcp, const struct datagram *d)
{
    const uint8_t *message = d->payload;

    return d->from_port == SERVER_PORT && d->to_port == CLIENT_PORT && d->payload_bytes >= OPTIONS &&
           message[OP] == BOOTREPLY && message[HTYPE] == ETHERNET && message[HLEN] == sizeof dhcp->mac &&
           get32(message + XID) == dhcp->xid && __builtin_memcmp(message + CHADDR, dhcp->mac, sizeof dhcp->mac) == 0 &&
           __builtin_memcmp(message + COOKIE, cookie, sizeof cookie) == 0;
}

/* Of one machine: neither this network's, loopback, a group's nor all. */
static bool is_host_address(uint32_t ip)
{
    return ip >> 24 != 0 && ip >> 24 != 127 && ip >> 28 < 14;
}

enum dhcp_answer dhcp_take(struct dhcp *dhcp, bool requested, const uint8_t *frame, size_t size)
{
    struct datagram datagram;
    struct answer answer;

    if (!datagram_parse(&datagram, frame, size) || !is_answer(dhcp, &datagram) ||
        !parse_options(&answer, datagram.payload + OPTIONS, datagram.payload_bytes - OPTIONS))
        return DHCP_NOTHING;
    const uint32_t ip = get32(datagram.payload + YIADDR);
    if (requested && answer.type == TYPE_NAK && answer.server == dhcp->server)
        return DHCP_REFUSED;
    if (!is_host_address(ip) || answer.server == 0)
        return DHCP_NOTHING;
    if (requested ? answer.type != TYPE_ACK || answer.server != dhcp->server || ip != dhcp->ip
                  : answer.type != TYPE_OFFER)
        return DHCP_NOTHING;
    dhcp->ip = ip;
    dhcp->server = answer.server;
    dhcp->lease_seconds = answer.lease;
    return requested ? DHCP_AGREED : DHCP_OFFERED;
}
