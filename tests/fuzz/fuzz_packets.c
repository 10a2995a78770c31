/* Any bytes as packets: the parser stays within them, what it has read can be written and read again, and the quick
 * look at a stretch counts the same as it. */
#include <string.h>

#include "decode/flow/flow_packets.h"
#include "pt/packet/packet.h"
#include "tests/fuzz/fuzz.h"

/* Reserved bits are not kept, and CYC and PIP have more than one form: read again, it is the same. */
static void write_again(const struct packet *packet)
{
    uint8_t bytes[PT_PACKET_MAX_SIZE];
    struct packet again;
    const size_t size = packet_encode(bytes, packet);
    DEMAND(size > 0 && size <= sizeof(bytes));
    DEMAND(packet_parse(&again, bytes, size) == (int)size);
    DEMAND(again.kind == packet->kind && again.payload == packet->payload && again.ip_bytes == packet->ip_bytes);
    DEMAND(again.tnt_bits == packet->tnt_bits && again.fup_follows == packet->fup_follows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flow_packets seen = flow_packets_look(data, size, true);
    uint64_t at = 0, count = 0;
    DEMAND(seen.size <= size);
    while (at < seen.size) {
        struct packet packet;
        const int length = packet_parse(&packet, data + at, size - at);
        DEMAND(length > 0 && (uint64_t)length <= size - at && length == packet.size);
        write_again(&packet);
        struct packet cut; /* later bytes must not matter */
        DEMAND(packet_parse(&cut, data + at, (size_t)length) == length && !memcmp(&cut, &packet, sizeof(cut)));
        at += (uint64_t)length;
        count++;
    }
    DEMAND(at == seen.size && count == seen.count);
    DEMAND(seen.error != FLOW_OK || seen.size == size);
    return 0;
}
