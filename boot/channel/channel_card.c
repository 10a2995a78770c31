/* Kind: shell, init */
#include "boot/channel/channel_card.h"

#include <string.h>

#include "boot/memory/paging.h"
#include "serial/nic/nic_mmio.h"

static bool matches_options(const struct options *options, const struct nic_look *look)
{
    return !options->net_mac_given || memcmp(options->net_mac, look->mac, sizeof look->mac) == 0;
}

/* Is the function at place a card that the options allow? If so, its memory decoding is on until pci_close. */
static bool open_card(struct channel_card *card, uint32_t place, uint32_t id, struct nic_look *look,
                      const struct options *options)
{
    struct nic_mmio mmio;

    card->driver = nic_driver_of(id, pci_revision(place), &card->card);
    if (!card->driver || (options->net_card != NET_CARD_ANY && options->net_card != place) ||
        !pci_open(&card->function, place))
        return false;
    const struct nic_access access = nic_mmio_access(&mmio, paging_window(card->function.bar_pa));
    card->driver->look(&access, card->card, look);
    if (matches_options(options, look))
        return true;
    pci_close(&card->function);
    return false;
}

/* Cards are not reset here: all but one belong to the guest. */
bool channel_card_find(struct channel_card *found, const struct options *options)
{
    bool any = false;
    uint32_t id;

    for (uint32_t place = 0; pci_find(&place, &id); place++) {
        struct channel_card card;
        struct nic_look look;
        if (!open_card(&card, place, id, &look, options))
            continue;
        if (any && look.linked)
            pci_close(&found->function);
        if (!any || look.linked)
            *found = card;
        else
            pci_close(&card.function);
        any = true;
        if (look.linked)
            break;
    }
    if (any)
        pci_use(&found->function);
    return any;
}
