/* Choosing the channel's network card. */
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

/* Have this called for the card that was chosen, before it is used: firmware that runs may have a driver on it, which
 * leaves it in any state. NULL: there is none. */
typedef void channel_card_claim(uint32_t sbdf);
void channel_card_set_claim(channel_card_claim *claim);

/* Among the cards that have a driver and match net.card= and net.mac=, choose the first that has a link, else the
 * first. Make it bus master; all other cards stay unchanged. false: there is no such card. */
bool channel_card_find(struct channel_card *found, const struct options *options);

#endif
