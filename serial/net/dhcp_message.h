/* The layout of DHCP messages, shared by dhcp.c, which writes them, and dhcp_answer.c, which parses them. Leaf header.
 */
#ifndef SERIAL_NET_DHCP_MESSAGE_H
#define SERIAL_NET_DHCP_MESSAGE_H

#define DHCP_SERVER_PORT 67u
#define DHCP_CLIENT_PORT 68u

/* Offsets in the message: RFC 2131, figure 1. */
enum { OP = 0, HTYPE = 1, HLEN = 2, XID = 4, FLAGS = 10, CIADDR = 12, YIADDR = 16, CHADDR = 28 };
enum { COOKIE = 236, OPTIONS = 240 };
#define BOOTREQUEST 1u
#define BOOTREPLY 2u
#define HTYPE_ETHERNET 1u

#define DHCP_COOKIE 0x63825363u

/* RFC 2132, by number. */
enum { OPTION_PAD = 0, OPTION_REQUESTED_IP = 50, OPTION_LEASE = 51, OPTION_TYPE = 53, OPTION_SERVER = 54 };
enum { OPTION_T1 = 58, OPTION_T2 = 59, OPTION_END = 255 };
enum { TYPE_DISCOVER = 1, TYPE_OFFER = 2, TYPE_REQUEST = 3, TYPE_ACK = 5, TYPE_NAK = 6 };

#endif
