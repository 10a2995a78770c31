/* Kind: core */
/* Realtek's cards: from ring to ring, while the guest runs. Core. */
#include "serial/net/net.h"
#include "serial/nic/realtek.h"

static uint64_t end_of_ring(uint32_t index, uint32_t nr)
{
    return index == nr - 1 ? REALTEK_EOR : 0;
}

/* What the card may read is in place before it owns the descriptor. */
static void put(const struct realtek *r, uint32_t index, uint64_t address, uint64_t options)
{
    volatile struct realtek_descriptor *tx = &r->tx[index];

    tx->address = address;
    tx->options = options | end_of_ring(index, r->nr_tx) | REALTEK_OWN;
}

/* The headers of serial/net/net.h, whose sums are the card's business, where it has none: IPv4's is over 20 bytes,
 * UDP's is left out, as RFC 768 allows. Words are summed up as they lie in memory: RFC 1071, section 2B. */
static void sum_up(uint8_t *headers)
{
    uint16_t *const words = (uint16_t *)(void *)(headers + NET_ETHERNET_BYTES);
    uint32_t sum = 0;

    words[(NET_IPV4_CHECKSUM_AT - NET_ETHERNET_BYTES) / 2] = 0;
    words[(NET_UDP_CHECKSUM_AT - NET_ETHERNET_BYTES) / 2] = 0;
    for (unsigned i = 0; i < NET_IPV4_BYTES / 2; i++)
        sum += words[i];
    sum = (sum >> 16) + (sum & 0xffff);
    words[(NET_IPV4_CHECKSUM_AT - NET_ETHERNET_BYTES) / 2] = (uint16_t) ~(sum + (sum >> 16));
}

/* A packet's two descriptors, the first one last: the card stops in front of what it does not own, and both must be
 * complete when it goes on. A payload of less than a buffer's least size is copied behind the headers' last bytes. */
static void put_packet(struct realtek *r)
{
    const struct e1000_tx_descriptor *headers = &r->from[r->given % r->nr_from], *payload = headers + 1;
    const uint32_t index = r->given % r->nr_tx, payload_bytes = payload->high & 0xffff;
    const uint64_t sums = headers->high & E1000_TX_TXSM ? r->sums : 0;
    uint8_t *const start = (uint8_t *)(uintptr_t)(r->memory + headers->low);
    uint32_t headers_bytes = headers->high & 0xffff, moved = 0;
    uint64_t payload_pa = payload->low;

    if (headers->high & E1000_TX_TXSM && !sums)
        sum_up(start);
    if (payload_bytes < REALTEK_MIN_BYTES) {
        moved = REALTEK_MIN_BYTES;
        headers_bytes -= moved;
        __builtin_memcpy(start + headers_bytes + moved, r->memory + payload_pa, payload_bytes);
        payload_pa = headers->low + headers_bytes;
    }
    put(r, index + 1, payload_pa, (payload_bytes + moved) | REALTEK_LS | sums);
    put(r, index, headers->low, headers_bytes | REALTEK_FS | sums);
    r->given += 2;
}

/* It sends in order. */
static void take_back(struct realtek *r)
{
    while (r->done != r->given && !(r->tx[r->done % r->nr_tx + 1].options & REALTEK_OWN)) {
        r->from[r->done % r->nr_from + 1].high |= E1000_TX_DD;
        r->done += 2;
    }
}

static void ring_doorbell(const struct realtek *r)
{
    if (r->is_8125)
        *(volatile uint16_t *)(volatile void *)r->doorbell = REALTEK_TXPOLL_8125_NORMAL;
    else
        *r->doorbell = REALTEK_TXPOLL_NORMAL;
}

static void give_rx(struct realtek *r, uint32_t index)
{
    r->rx[index].options = E1000_RX_BUFFER_BYTES | end_of_ring(index, REALTEK_RX_DESCRIPTORS) | REALTEK_OWN;
}

/* A packet of ours has both marks and no error; what is longer than a buffer has not. */
static uint64_t written_back(const struct realtek *r, uint64_t options)
{
    const uint64_t wanted = REALTEK_FS | REALTEK_LS, bytes = options & REALTEK_RX_BYTES;
    const bool good = (options & (wanted | r->rx_error)) == wanted && bytes > 4;

    return 1ull << 32 | (good ? 2ull << 32 | (bytes - 4) : 0);
}

static void receive(struct realtek *r)
{
    while (r->given_back != r->received && !r->to[r->given_back % r->nr_to].written_back)
        give_rx(r, r->given_back++ % REALTEK_RX_DESCRIPTORS);
    while (r->received - r->given_back < REALTEK_RX_DESCRIPTORS) {
        const uint64_t options = r->rx[r->received % REALTEK_RX_DESCRIPTORS].options;

        if (options & REALTEK_OWN)
            break;
        r->to[r->received++ % r->nr_to].written_back = written_back(r, options);
    }
}

void realtek_carry(struct nic *nic)
{
    struct realtek *r = nic->own;

    take_back(r);
    while (r->given % r->nr_from != r->tx_tail && r->given - r->done < r->nr_tx)
        put_packet(r);
    if (r->given != r->done) /* each time: one that comes too close behind another is lost */
        ring_doorbell(r);
    receive(r);
}
