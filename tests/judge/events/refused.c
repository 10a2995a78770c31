#include "tests/judge/events/refused.h"

/* First bytes, and second ones after 02H. SDM "Packet Definitions". */
enum { EXTENDED = 0x02, MODE = 0x99, PSB = 0x82, TNT_64 = 0xa3, CYC = 3, MNT = 0xc3 };
enum { TIP = 0x0d, TIP_PGE = 0x11, TIP_PGD = 0x01, FUP = 0x1d, IP_OPCODE = 0x1f };

enum flow_error packets_refused(const uint8_t *bytes, uint64_t size)
{
    const unsigned ip = bytes[0] & IP_OPCODE;
    const bool extended = bytes[0] == EXTENDED && size > 1;
    const bool known = bytes[0] == MODE || (bytes[0] & CYC) == CYC || ip == TIP || ip == TIP_PGE || ip == TIP_PGD ||
                       ip == FUP || (extended && (bytes[1] == PSB || bytes[1] == TNT_64 || bytes[1] == MNT));
    return known ? FLOW_ERROR_PACKET : FLOW_ERROR_OPCODE;
}
