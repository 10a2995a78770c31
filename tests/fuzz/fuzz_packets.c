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
    enum packet_block block = PACKET_BLOCK_NONE;
    if (packet->kind == PT_PACKET_BIP)
        block = packet->ptw_bytes == 4 ? PACKET_BLOCK_ITEMS_4 : PACKET_BLOCK_ITEMS_8;
    DEMAND(packet_parse_block(&again, bytes, size, block) == (int)size);
    DEMAND(again.kind == packet->kind && again.payload == packet->payload && again.ip_bytes == packet->ip_bytes);
    DEMAND(again.tnt_bits == packet->tnt_bits && again.fup_follows == packet->fup_follows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flow_packets seen = flow_packets_look(data, size, true);
    enum packet_block block = PACKET_BLOCK_NONE;
    uint64_t at = 0, count = 0;
    DEMAND(seen.size <= size);
    while (at < seen.size) {
        struct packet packet;
        const enum packet_block before = block;
        const int length = packet_parse_next(&packet, data + at, size - at, &block);
        DEMAND(length > 0 && (uint64_t)length <= size - at && length == packet.size);
        write_again(&packet);
        struct packet cut; /* later bytes must not matter */
        DEMAND(packet_parse_block(&cut, data + at, (size_t)length, before) == length &&
               !memcmp(&cut, &packet, sizeof(cut)));
        at += (uint64_t)length;
        count++;
    }
    DEMAND(at == seen.size && count == seen.count);
    DEMAND(seen.error != FLOW_OK || seen.size == size);
    return 0;
}
