/* Kind: core, init */
#include "serial/net/announce.h"

#include "serial/net/datagram.h"
#include "serial/wire/auth.h"

bool announce_take(uint32_t *ip, uint16_t port, const struct siphash_key *key, const uint8_t *frame, size_t size)
{
    struct datagram datagram;
    struct frame_header header;

    if (!datagram_parse(&datagram, frame, size) || datagram.to_port != port || datagram.from_port != port ||
        frame_parse(&header, datagram.payload, datagram.payload_bytes) != FRAME_OK ||
        header.kind != (key ? FRAME_ANNOUNCE | FRAME_TAGGED : FRAME_ANNOUNCE) ||
        (key && !auth_check(datagram.payload, key, 0)))
        return false;
    *ip = datagram.from;
    return true;
}
