/*
 * Intel's cards of 1 and 2.5 Gbit/s: the table of PCI device ids, and how the families differ for a polled driver.
 * Core.
 *
 * Sources: the PCI ID database for the device ids; for the differences the manuals that serial/nic/e1000.h names, and
 * docs/hardware.md.
 */
#ifndef SERIAL_NIC_E1000_CARDS_H
#define SERIAL_NIC_E1000_CARDS_H

#include "serial/nic/nic.h"

enum e1000_family {
    E1000_82540, /* conventional PCI */
    E1000_82574, /* PCIe, with the same descriptors */
    E1000_ICH,   /* I217 to I219: the MAC is in the chipset */
    E1000_82576, /* PCIe with "advanced" descriptors: 82576, 82580, I350, I354, I210, I211 */
    E1000_I225   /* 2.5 Gbit/s: I225, I226 */
};

/* What some cards of a family need and others do not. */
enum e1000_quirk {
    E1000_HANGS_AFTER_RESET = 1,  /* I219: both directions hang unless a bit of FEXTNVM11 is set */
    E1000_KEEPS_BUFFER_SIZES = 2, /* I210, I225, I226: packet buffer sizes survive a warm reset */
    E1000_RESTARTS_LINK = 4       /* auto-negotiation of the PHY may need a restart */
};

/* Does the card use "advanced" descriptors, those of the 82575 and its successors, in both directions? */
static inline bool e1000_is_advanced(const struct nic_card *card)
{
    return card->family >= E1000_82576;
}

extern const struct nic_card e1000_cards[]; /* ends with a row whose vendor is 0 */

#endif
