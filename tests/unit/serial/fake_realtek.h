/*
 * A card of serial/nic/realtek.h without the card: its registers with the rules for their order and width, and what the
 * hardware does with its rings. What breaks a rule ends the test. Rules that no datasheet has are those that all
 * drivers keep.
 */
#ifndef TESTS_UNIT_SERIAL_FAKE_REALTEK_H
#define TESTS_UNIT_SERIAL_FAKE_REALTEK_H

#include "serial/nic/realtek.h"

#define FAKE_REALTEK_MEMORY (1u << 20)

struct fake_realtek {
    const struct nic_card *card;
    uint16_t xid; /* TxConfig's bits 31:20 */
    uint8_t mac[6];
    bool mac_after_reset; /* IDR0 has it only then */
    bool link;            /* the PHY has one, at once ... */
    bool asleep;          /* ... or after it was told to negotiate */
    bool dead;            /* nothing decodes */
    bool resets_for_ever;
    uint16_t mtu; /* for which it was started: as a driver must have configured it */
    _Alignas(8) uint8_t registers[0x100];
    uint16_t ocp[0x10000];
    unsigned resets, negotiations;
    bool command_on; /* since RxConfig may be written */
    uint32_t tx_at, rx_at;
    uint8_t packet[9100]; /* what was sent last */
    uint32_t packet_bytes;
    uint64_t packet_options; /* of its last descriptor */
    uint64_t us;
    _Alignas(4096) uint8_t memory[FAKE_REALTEK_MEMORY]; /* physical memory, from 0 on */
};

/* As firmware, or the system before, has left it: transfers on, reception gated and out of band where the chip can. */
void fake_realtek_set_up(struct fake_realtek *fake, uint32_t device, uint16_t xid);

struct nic fake_realtek_nic(struct fake_realtek *fake);

/* The card sends one packet, if it owns one. */
bool fake_realtek_send(struct fake_realtek *fake);

/* A packet comes: whether there was a descriptor for it. options: in the first doubleword, beside its bytes. */
bool fake_realtek_receive(struct fake_realtek *fake, const uint8_t *bytes, uint32_t size, uint64_t options);

#endif
