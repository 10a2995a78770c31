/*
 * A fake Intel card for serial/nic/e1000.h: its registers, and the rules for the order of accesses, from the manuals or
 * from other drivers. A violation fails the test.
 */
#ifndef TESTS_UNIT_SERIAL_FAKE_E1000_H
#define TESTS_UNIT_SERIAL_FAKE_E1000_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/nic/e1000.h"

struct fake_e1000 {
    const struct nic_card *card;
    uint8_t mac[6];
    bool mac_in_ral;   /* the reset loads the address into RAL0; else it is only in the EEPROM */
    bool link;         /* the PHY has a link; with E1000_RESTARTS_LINK only after negotiation was restarted */
    bool dead;         /* reads return all ones */
    bool master_hangs; /* transfers never end */
    uint32_t registers[0x8000 / 4];
    unsigned resets, negotiations;
    uint64_t us; /* time that the driver has waited */
};

/* The state after firmware or an earlier system: transfers enabled, other packet buffer sizes. */
void fake_e1000_set_up(struct fake_e1000 *fake, uint32_t device);

struct nic fake_e1000_nic(struct fake_e1000 *fake);

#endif
