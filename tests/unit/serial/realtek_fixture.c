#include "tests/unit/serial/realtek_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define OWN_AT 0x1000u
#define TX_AT 0x10000u
#define RX_AT 0x30000u
#define NR_TX 4096u /* descriptors, two per packet */

const struct fixture_kind fixture_kinds[FIXTURE_KINDS] = {
    {0x8139, 0x748}, {0x8136, 0x340}, {0x8168, 0x380}, {0x8168, 0x3c0}, {0x8168, 0x281},
    {0x8168, 0x2c8}, {0x8168, 0x480}, {0x8168, 0x288}, {0x8168, 0x28b}, {0x8168, 0x2c1},
    {0x8168, 0x4c0}, {0x8168, 0x541}, {0x8125, 0x609}, {0x8125, 0x641}, {0x8125, 0x689}};

struct fake_realtek fixture_card;
struct nic fixture_nic;
uint8_t fixture_mac[6];
uint32_t fixture_head;

struct e1000_tx_descriptor *fixture_tx(uint32_t index)
{
    return (struct e1000_tx_descriptor *)(void *)(fixture_card.memory + TX_AT) + index % NR_TX;
}

struct e1000_rx_descriptor *fixture_rx(uint32_t index)
{
    return (struct e1000_rx_descriptor *)(void *)(fixture_card.memory + RX_AT) + index % NR_RX;
}

const char *fixture_reset(void)
{
    fixture_nic = fake_realtek_nic(&fixture_card);
    memset(fixture_mac, 0, sizeof fixture_mac);
    return realtek_reset(&fixture_nic, fixture_card.card, fixture_mac);
}

void fixture_start(void)
{
    assert_null(fixture_reset());
    assert_true(fixture_nic.driver->max_mtu(&fixture_nic) >= fixture_card.mtu);
    for (uint32_t i = 0; i < NR_RX; i++)
        *fixture_rx(i) = (struct e1000_rx_descriptor){.address = BUFFERS_AT + i * E1000_RX_BUFFER_BYTES};
    realtek_start(&fixture_nic, &(struct nic_rings){.tx = fixture_tx(0),
                                                    .rx = fixture_rx(0),
                                                    .tx_pa = TX_AT,
                                                    .rx_pa = RX_AT,
                                                    .nr_tx = NR_TX,
                                                    .nr_rx = NR_RX,
                                                    .mtu = fixture_card.mtu,
                                                    .driver_data = fixture_card.memory + OWN_AT,
                                                    .driver_data_pa = OWN_AT,
                                                    .memory = fixture_card.memory});
    fixture_head = 0;
}

void fixture_put(uint32_t payload_bytes, bool sums)
{
    const uint64_t headers_pa = HEADERS_AT + fixture_head % 512 * 128 + 6, payload_pa = PAYLOAD_AT + fixture_head % 97;
    memset(fixture_card.memory + headers_pa, (int)(fixture_head & 0x7f), HEADERS_BYTES);
    for (uint32_t i = 0; i < payload_bytes; i++)
        fixture_card.memory[payload_pa + i] = (uint8_t)(payload_pa + i);
    *fixture_tx(2 * fixture_head) =
        (struct e1000_tx_descriptor){headers_pa, HEADERS_BYTES | (sums ? E1000_TX_IXSM | E1000_TX_TXSM : 0)};
    *fixture_tx(2 * fixture_head + 1) = (struct e1000_tx_descriptor){payload_pa, payload_bytes | E1000_TX_EOP};
    nic_tail_set(fixture_nic.tx_tail, 2 * ++fixture_head % NR_TX);
}
