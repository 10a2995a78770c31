/* Kind: core */
/* Realtek's cards: copying descriptors between the rings, also while the guest runs. */
#include "serial/nic/realtek.h"

static uint64_t end_of_ring(uint32_t index, uint32_t nr)
{
    return index == nr - 1 ? REALTEK_EOR : 0;
}

/* OWN is set last: by then the card may read the rest. */
static void put(const struct realtek *r, uint32_t index, uint64_t address, uint64_t options)
{
    volatile struct realtek_descriptor *tx = &r->tx[index];

    tx->address = address;
    tx->options = options | end_of_ring(index, r->nr_tx) | REALTEK_OWN;
}

/* Set the checksums of a packet for which the card has no offload. UDP's is 0, none, as RFC 768 allows; IPv4's covers
 * the header of 20 bytes. The sum does not depend on the byte order: RFC 1071, section 2B. */
static void set_checksums(uint8_t *headers)
{
    uint16_t *const words = (uint16_t *)(void *)(headers + NIC_IPV4_AT);
    uint32_t sum = 0;

    words[(NIC_IPV4_CHECKSUM_AT - NIC_IPV4_AT) / 2] = 0;
    words[(NIC_UDP_CHECKSUM_AT - NIC_IPV4_AT) / 2] = 0;
    for (unsigned i = 0; i < NIC_IPV4_BYTES / 2; i++)
        sum += words[i];
    sum = (sum >> 16) + (sum & 0xffff);
    words[(NIC_IPV4_CHECKSUM_AT - NIC_IPV4_AT) / 2] = (uint16_t) ~(sum + (sum >> 16));
}

/* Pass a packet's two descriptors to the card. The second one is written first: the card stops at a descriptor that it
 * does not own, and both must be complete when it gets the first. A payload shorter than the smallest buffer is copied
 * to the end of the headers, and its buffer starts with the last header bytes. */
static void put_packet(struct realtek *r)
{
    const struct e1000_tx_descriptor *headers = &r->from[r->tx_given % r->nr_from], *payload = headers + 1;
    const uint32_t index = r->tx_given % r->nr_tx, payload_bytes = payload->high & 0xffff;
    const uint64_t checksums = headers->high & E1000_TX_TXSM ? r->checksums : 0;
    uint8_t *const start = (uint8_t *)(uintptr_t)(r->memory + headers->low);
    uint32_t headers_bytes = headers->high & 0xffff, moved = 0;
    uint64_t payload_pa = payload->low;

    if (headers->high & E1000_TX_TXSM && !checksums)
        set_checksums(start);
    if (payload_bytes < REALTEK_MIN_BYTES) {
        moved = REALTEK_MIN_BYTES;
        headers_bytes -= moved;
        __builtin_memcpy(start + headers_bytes + moved, r->memory + payload_pa, payload_bytes);
        payload_pa = headers->low + headers_bytes;
    }
    put(r, index + 1, payload_pa, (payload_bytes + moved) | REALTEK_LS | checksums);
    put(r, index, headers->low, headers_bytes | REALTEK_FS | checksums);
    r->tx_given += 2;
}

/* Mark sent packets as done. The card sends in order. */
static void reclaim_tx(struct realtek *r)
{
    while (r->tx_done != r->tx_given && !(r->tx[r->tx_done % r->nr_tx + 1].options & REALTEK_OWN)) {
        r->from[r->tx_done % r->nr_from + 1].high |= E1000_TX_DD;
        r->tx_done += 2;
    }
}

static void ring_doorbell(const struct realtek *r)
{
    if (r->is_8125)
        *(volatile uint16_t *)(volatile void *)r->doorbell = REALTEK_TXPOLL_8125_NORMAL;
    else
        *r->doorbell = REALTEK_TXPOLL_NORMAL;
}

static void return_rx(struct realtek *r, uint32_t index)
{
    r->rx[index].options = E1000_RX_BUFFER_BYTES | end_of_ring(index, REALTEK_RX_DESCRIPTORS) | REALTEK_OWN;
}

/* The legacy write-back for a received packet. A good one has both marks and no error; one that did not fit into a
 * buffer lacks a mark. */
static uint64_t written_back(const struct realtek *r, uint64_t options)
{
    const uint64_t wanted = REALTEK_FS | REALTEK_LS, bytes = options & REALTEK_RX_BYTES;
    const bool good = (options & (wanted | r->rx_error)) == wanted && bytes > 4;

    return 1ull << 32 | (good ? 2ull << 32 | (bytes - 4) : 0);
}

static void receive(struct realtek *r)
{
    while (r->rx_returned != r->rx_received && !r->to[r->rx_returned % r->nr_to].written_back)
        return_rx(r, r->rx_returned++ % REALTEK_RX_DESCRIPTORS);
    while (r->rx_received - r->rx_returned < REALTEK_RX_DESCRIPTORS) {
        const uint64_t options = r->rx[r->rx_received % REALTEK_RX_DESCRIPTORS].options;

        if (options & REALTEK_OWN)
            break;
        r->to[r->rx_received++ % r->nr_to].written_back = written_back(r, options);
    }
}

void realtek_sync_rings(struct nic *nic)
{
    struct realtek *r = nic->driver_data;

    reclaim_tx(r);
    while (r->tx_given % r->nr_from != r->tx_tail && r->tx_given - r->tx_done < r->nr_tx)
        put_packet(r);
    if (r->tx_given != r->tx_done) /* on every call: the card misses a doorbell soon after another one */
        ring_doorbell(r);
    receive(r);
}
