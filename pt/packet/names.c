/* Kind: core */
/* Names of packets, from the list in pt/packet/packet.h. */
#include "pt/packet/packet.h"

const char *packet_name(enum packet_kind kind)
{
#define NAME(kind, name, dump_name, dump) [PT_PACKET_##kind] = name,
    static const char *const names[PT_PACKET_NR_KINDS] = {PT_PACKET_KINDS(NAME)};

    return (unsigned)kind < PT_PACKET_NR_KINDS ? names[kind] : "unknown";
}

const char *packet_dump_name(enum packet_kind kind)
{
#define DUMP_NAME(kind, name, dump_name, dump) [PT_PACKET_##kind] = dump_name,
    static const char *const names[PT_PACKET_NR_KINDS] = {PT_PACKET_KINDS(DUMP_NAME)};

    return names[kind];
}

enum packet_dump packet_dump(enum packet_kind kind)
{
#define DUMP(kind, name, dump_name, dump) [PT_PACKET_##kind] = PACKET_DUMP_##dump,
    static const uint8_t dumps[PT_PACKET_NR_KINDS] = {PT_PACKET_KINDS(DUMP)};

    return (enum packet_dump)dumps[kind];
}
