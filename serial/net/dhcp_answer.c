/* Kind: core */
/* DHCP: the answers, which also arrive while the guest runs. */
#include "serial/net/datagram.h"
#include "serial/net/dhcp.h"
#include "serial/net/dhcp_message.h"
#include "serial/net/net_bytes.h"

/* The options of an answer; 0: the option is missing. */
struct answer {
    uint8_t type;
    uint32_t server, lease, t1, t2;
};

/* The member that an option of four bytes sets; NULL: the option is not used. */
static uint32_t *field_of(struct answer *answer, uint8_t number)
{
    switch (number) {
    case OPTION_SERVER:
        return &answer->server;
    case OPTION_LEASE:
        return &answer->lease;
    case OPTION_T1:
        return &answer->t1;
    case OPTION_T2:
        return &answer->t2;
    default:
        return NULL;
    }
}

/* false: an option extends beyond the end of the message. The end mark may be missing. */
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
        uint32_t *const field = field_of(answer, number);
        if (number == OPTION_TYPE && length == 1)
            answer->type = *value;
        else if (field && length == 4)
            *field = net_get32(value);
        at += 2u + length;
        size -= 2u + length;
    }
    return true;
}

/* Is it a server's message in our transaction? */
static bool is_answer(const struct dhcp *dhcp, const struct datagram *d)
{
    const uint8_t *message = d->payload;

    return d->from_port == DHCP_SERVER_PORT && d->to_port == DHCP_CLIENT_PORT && d->payload_bytes >= OPTIONS &&
           message[OP] == BOOTREPLY && message[HTYPE] == HTYPE_ETHERNET && message[HLEN] == sizeof dhcp->mac &&
           net_get32(message + XID) == dhcp->xid &&
           __builtin_memcmp(message + CHADDR, dhcp->mac, sizeof dhcp->mac) == 0 &&
           net_get32(message + COOKIE) == DHCP_COOKIE;
}

/* Is it the address of one host: not 0.0.0.0/8, loopback, multicast or above? */
static bool is_host_address(uint32_t ip)
{
    return ip >> 24 != 0 && ip >> 24 != 127 && ip >> 28 < 14;
}

static bool is_its_server(const struct dhcp *dhcp, uint32_t server)
{
    return server != 0 && (dhcp->server == 0 || server == dhcp->server);
}

enum dhcp_answer dhcp_take(struct dhcp *dhcp, bool requested, const uint8_t *frame, size_t size)
{
    struct datagram datagram;
    struct answer answer;

    if (!datagram_parse(&datagram, frame, size) || !is_answer(dhcp, &datagram) ||
        !parse_options(&answer, datagram.payload + OPTIONS, datagram.payload_bytes - OPTIONS))
        return DHCP_IGNORED;
    const uint32_t ip = net_get32(datagram.payload + YIADDR);
    if (requested && answer.type == TYPE_NAK && is_its_server(dhcp, answer.server))
        return DHCP_REFUSED;
    if (!is_host_address(ip) || answer.server == 0)
        return DHCP_IGNORED;
    if (requested ? answer.type != TYPE_ACK || !is_its_server(dhcp, answer.server) || ip != dhcp->ip
                  : answer.type != TYPE_OFFER)
        return DHCP_IGNORED;
    dhcp->ip = ip;
    dhcp->server = answer.server;
    __builtin_memcpy(dhcp->server_mac, datagram.from_mac, sizeof dhcp->server_mac);
    dhcp->lease_seconds = answer.lease;
    dhcp->renew_seconds = answer.t1;
    dhcp->rebind_seconds = answer.t2;
    return requested ? DHCP_AGREED : DHCP_OFFERED;
}
