/*
 * A fake Realtek card for serial/nic/realtek.h: its registers, the rules for the order and width of accesses, and the
 * hardware's side of the rings. A violation fails the test. Rules that are in no datasheet are those that all drivers
 * follow.
 */
#ifndef TESTS_UNIT_SERIAL_FAKE_REALTEK_H
#define TESTS_UNIT_SERIAL_FAKE_REALTEK_H

#include "serial/nic/realtek.h"

#define FAKE_REALTEK_MEMORY (1u << 20)

struct fake_realtek {
    const struct nic_card *card;
    uint16_t xid; /* bits 31:20 of TxConfig */
    uint8_t mac[6];
    bool mac_after_reset; /* IDR0 has the address only after the reset */
    bool link;            /* the PHY has a link, ... */
    bool asleep;          /* ... but only after negotiation was restarted */
    bool dead;            /* reads return all ones */
    bool resets_for_ever;
    uint16_t mtu; /* the driver must have configured the card for it */
    _Alignas(8) uint8_t registers[0x100];
    uint16_t ocp[0x10000];
    unsigned resets, negotiations;
    bool command_on; /* transmitter and receiver are on: RxConfig may be written */
    uint32_t tx_at, rx_at;
    uint8_t packet[9100]; /* the last sent packet */
    uint32_t packet_bytes;
    uint64_t packet_options; /* of its last descriptor */
    uint64_t us;
    _Alignas(4096) uint8_t memory[FAKE_REALTEK_MEMORY]; /* physical memory from address 0 on */
};

/* The state after firmware or an earlier system: transfers enabled; on chips that have it, the wake-on-LAN state. */
void fake_realtek_set_up(struct fake_realtek *fake, uint32_t device, uint16_t xid);

struct nic fake_realtek_nic(struct fake_realtek *fake);

/* Send one packet. false: the card owns none. */
bool fake_realtek_send(struct fake_realtek *fake);

/* Receive a packet. options: bits of the descriptor's first doubleword in addition to the size. false: the card owns no
 * descriptor. */
bool fake_realtek_receive(struct fake_realtek *fake, const uint8_t *bytes, uint32_t size, uint64_t options);

#endif
