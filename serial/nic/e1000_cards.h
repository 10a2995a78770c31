/*
 * Intel's cards of 1 and 2.5 Gbit/s: which PCI device is which, and how their families differ for a polled driver.
 * Core.
 *
 * Source of the numbers: the PCI ID database; of the differences: the manuals that serial/nic/e1000.h names, and what
 * docs/hardware.md says of each.
 */
#ifndef SERIAL_NIC_E1000_CARDS_H
#define SERIAL_NIC_E1000_CARDS_H

#include "serial/nic/nic.h"

enum e1000_family {
    E1000_82540, /* conventional PCI */
    E1000_82574, /* PCIe, with the same descriptors */
    E1000_ICH,   /* I217 to I219: the MAC is the chipset's */
    E1000_82576, /* PCIe with "advanced" descriptors: 82576, 82580, I350, I354, I210, I211 */
    E1000_I225   /* 2.5 Gbit/s: I225, I226 */
};

/* What one of them needs and others of its family do not. */
enum e1000_quirk {
    E1000_HANGS_BEHIND_RESET = 1, /* I219: both directions, unless FEXTNVM11 says otherwise */
    E1000_KEEPS_BUFFER_SIZES = 2, /* I210, I225, I226: through a warm reset, whatever the last system has set */
    E1000_RESTARTS_LINK = 4       /* the PHY may have to be told to negotiate once more */
};

/* Descriptors are the 82575's "advanced" ones and their successors', in both directions. */
static inline bool e1000_is_advanced(const struct nic_card *card)
{
    return card->family >= E1000_82576;
}

#endif
