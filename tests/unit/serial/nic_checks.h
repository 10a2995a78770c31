/* Checks that the tests of all network cards' drivers share. */
#ifndef TESTS_UNIT_SERIAL_NIC_CHECKS_H
#define TESTS_UNIT_SERIAL_NIC_CHECKS_H

#include "serial/nic/nic.h"

/* The table row of a PCI function (device << 16 | vendor), or NULL. */
const struct nic_card *card_of(uint32_t id, uint8_t revision);

/* A fake card with its link up, as the driver's read_state sees it. */
struct nic_check {
    const struct nic *nic;
    const struct nic_card *card;
    const uint8_t *mac; /* the expected address */
    void *fake;         /* the whole fake, which read_state must not change */
    size_t fake_bytes;
    bool *link, *dead; /* switches of the fake: the link is up; reads return all ones */
};

/* read_state reports the MAC address and the link, and changes nothing. A card whose reads return all ones has no link.
 */
void check_read_state(const struct nic_check *check);

#endif
