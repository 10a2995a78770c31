/* Which network card is the channel's. Shell. */
#ifndef BOOT_CHANNEL_CHANNEL_CARD_H
#define BOOT_CHANNEL_CHANNEL_CARD_H

#include "boot/options/options.h"
#include "serial/nic/nic.h"
#include "serial/pci/pci.h"

struct channel_card {
    struct pci_function function;
    const struct nic_driver *driver;
    const struct nic_card *card;
};

/* Of the cards that have a driver and that net.card= and net.mac= let through: the first that firmware has left with a
 * link, else the first. It is bus master then; all others are as they were. false: there is none. */
bool channel_card_find(struct channel_card *found, const struct options *options);

#endif
