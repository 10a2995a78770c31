/*
 * The emulated wire: a DHCP server, where dhcp= says so. It answers as RFC 2131 has it, and looks closely at what it is
 * asked: a message that a client in its state must not send is reported, and not answered.
 */
#include "eth_lockstep.h"

namespace
{

enum { OP = 0, FLAGS = 10, CIADDR = 12, YIADDR = 16, CHADDR = 28, COOKIE = 236, OPTIONS = 240, MESSAGE = 300 };
enum { REQUESTED_IP = 50, LEASE = 51, TYPE = 53, SERVER = 54, T1 = 58, T2 = 59, END = 255 };
enum { DISCOVER = 1, OFFER = 2, REQUEST = 3, ACK = 5, NAK = 6 };

const Bit8u server_ip[4] = {10, 0, 2, 2}, other_ip[4] = {10, 0, 2, 4}, client_ip[4] = {10, 0, 2, 15},
            none[4] = {0, 0, 0, 0};
const Bit8u all_ip[4] = {255, 255, 255, 255};
const Bit8u all_mac[6] = {255, 255, 255, 255, 255, 255};
const Bit8u server_mac[6] = {0x52, 0x55, 0x0a, 0x00, 0x02, 0x03}; /* not that of the receiver */

/* An option's value, of so many bytes; NULL: not there. */
const Bit8u *option(const Bit8u *message, size_t size, Bit8u number, Bit8u length)
{
    for (size_t at = OPTIONS; at + 1 < size && message[at] != END;) {
        if (message[at] == 0) {
            at++;
            continue;
        }
        if (message[at] == number)
            return message[at + 1] == length && at + 2 + length <= size ? message + at + 2 : NULL;
        at += 2 + message[at + 1];
    }
    return NULL;
}

Bit8u *put_option(Bit8u *at, Bit8u number, const void *value, Bit8u length)
{
    *at++ = number;
    *at++ = length;
    memcpy(at, value, length);
    return at + length;
}

Bit8u *put_seconds(Bit8u *at, Bit8u number, Bit32u seconds)
{
    Bit8u value[4] = {Bit8u(seconds >> 24), Bit8u(seconds >> 16), Bit8u(seconds >> 8), Bit8u(seconds)};
    return put_option(at, number, value, 4);
}

bool same4(const Bit8u *is, const Bit8u *should)
{
    return is != NULL && memcmp(is, should, 4) == 0;
}

/* RFC 2131, table 4: what a request must have and must not have, in each state of its client. NULL: not a request. */
const char *state_of(const Bit8u *frame, const Bit8u *message, size_t size)
{
    const Bit8u *ip = frame + ETHERNET, *requested = option(message, size, REQUESTED_IP, 4);
    const Bit8u *server = option(message, size, SERVER, 4);
    bool to_all = memcmp(frame, all_mac, 6) == 0 && same4(ip + 16, all_ip);
    bool to_us = memcmp(frame, server_mac, 6) == 0 && same4(ip + 16, server_ip);

    if (to_all && same4(ip + 12, none) && same4(message + CIADDR, none) && same4(requested, client_ip) &&
        same4(server, server_ip) && (message[FLAGS] & 0x80) != 0)
        return "selecting";
    if (!same4(ip + 12, client_ip) || !same4(message + CIADDR, client_ip) || requested || server)
        return NULL;
    return to_us ? "renewing" : to_all ? "rebinding" : NULL;
}

} // namespace

bool Lockstep::is_dhcp(const Bit8u *frame, size_t udp_size) const
{
    return dhcp.seconds != 0 && get_net2(frame + ETHERNET + IPV4 + 2) == 67 && udp_size >= UDP + OPTIONS;
}

void Lockstep::take_dhcp(const Bit8u *frame, size_t udp_size)
{
    const Bit8u *message = frame + HEADERS;
    const size_t size = udp_size - UDP;
    const Bit8u *type = option(message, size, TYPE, 1);

    if (type == NULL || message[OP] != 1 || memcmp(message + CHADDR, frame + 6, 6) != 0) {
        BX_ERROR(("lockstep: DHCP: not a client's message"));
        return;
    }
    if (*type == DISCOVER) {
        answer_dhcp(frame, OFFER);
        return;
    }
    const char *state = *type == REQUEST ? state_of(frame, message, size) : NULL;
    if (state == NULL) {
        BX_ERROR(("lockstep: DHCP: a request that no state of a client allows"));
        return;
    }
    bool answers = dhcp.answers > 0;
    if (answers)
        dhcp.answers--;
    else if (dhcp.moves && strcmp(state, "rebinding") == 0)
        answers = dhcp.moved = true;
    printf("lockstep: DHCP: %s, at %.1f s, %s\n", state, bx_pc_system.time_usec() / 1e6,
           answers        ? "agreed"
           : dhcp.refuses ? "refused"
                          : "not answered");
    fflush(stdout);
    if (answers || dhcp.refuses)
        answer_dhcp(frame, answers ? ACK : NAK);
}

/* To all stations, or to whom has the address. */
void Lockstep::answer_dhcp(const Bit8u *frame, Bit8u type)
{
    const Bit8u *question = frame + HEADERS;
    bool renewal = !same4(question + CIADDR, none) && type == ACK;
    Bytes packet(HEADERS + MESSAGE);
    Bit8u *ip = &packet[ETHERNET], *udp = ip + IPV4, *message = udp + UDP, *at = message + OPTIONS;

    memcpy(&packet[0], renewal ? frame + 6 : all_mac, 6);
    memcpy(&packet[6], server_mac, 6);
    const Bit8u *me = dhcp.moved ? other_ip : server_ip;
    put_net2(&packet[12], 0x0800);
    ip[0] = 0x45;
    put_net2(ip + 2, IPV4 + UDP + MESSAGE);
    ip[8] = 64;
    ip[9] = 17;
    memcpy(ip + 12, me, 4);
    memcpy(ip + 16, renewal ? client_ip : all_ip, 4);
    put_net2(ip + 10, ~internet_sum(ip, IPV4, 0));
    put_net2(udp, 67);
    put_net2(udp + 2, 68);
    put_net2(udp + 4, UDP + MESSAGE);
    memcpy(message, question, OPTIONS);
    message[OP] = 2;
    memcpy(message + YIADDR, type == NAK ? none : client_ip, 4);
    at = put_option(at, TYPE, &type, 1);
    at = put_option(at, SERVER, me, 4);
    if (type != NAK) {
        at = put_seconds(at, LEASE, dhcp.seconds);
        at = put_seconds(at, T1, dhcp.seconds / 2);
        at = put_seconds(at, T2, dhcp.seconds - dhcp.seconds / 4);
    }
    *at = END;
    put_net2(udp + 6, ~internet_sum(udp, UDP + MESSAGE, internet_sum(ip + 12, 8, 17 + UDP + MESSAGE)));
    deliver_later(packet);
}
