/*
 * A card of serial/nic/e1000.h without the card: its registers, and the rules that its manual, or whoever had to find
 * out, sets for the order in which they may be used. What breaks one ends the test.
 */
#ifndef TESTS_UNIT_SERIAL_FAKE_E1000_H
#define TESTS_UNIT_SERIAL_FAKE_E1000_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/nic/e1000.h"

struct fake_e1000 {
    const struct nic_card *card;
    uint8_t mac[6];
    bool mac_in_ral;   /* the reset loads it there; else it is in the EEPROM alone */
    bool link;         /* the PHY has one; a card that needs it has one only after it was told to negotiate */
    bool dead;         /* nothing decodes */
    bool master_hangs; /* transfers never end */
    uint32_t registers[0x8000 / 4];
    unsigned resets, negotiations;
    uint64_t us; /* waited for */
};

/* As firmware, or the system before, has left it: transfers on, in a packet memory of other sizes. */
void fake_e1000_set_up(struct fake_e1000 *fake, uint32_t device);

struct nic fake_e1000_nic(struct fake_e1000 *fake);

#endif
