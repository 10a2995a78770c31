/* Kind: shell, init */
#include "boot/channel/channel_card.h"

#include <string.h>

#include "base/mmio.h"
#include "boot/memory/paging.h"

static channel_card_claim *claim;

void channel_card_set_claim(channel_card_claim *function)
{
    claim = function;
}

/* Its driver may switch memory decoding off. */
static bool claim_card(struct pci_function *function)
{
    const uint32_t sbdf = function->sbdf;

    if (!claim)
        return true;
    pci_close(function);
    claim(sbdf);
    return pci_open(function, sbdf);
}

static bool matches_options(const struct options *options, const struct nic_state *state)
{
    return !options->net_mac_given || memcmp(options->net_mac, state->mac, sizeof state->mac) == 0;
}

/* Is the function at sbdf a card that the options allow? If so, its memory decoding is on until pci_close. */
static bool open_card(struct channel_card *card, uint32_t sbdf, uint32_t id, struct nic_state *state,
                      const struct options *options)
{
    struct mmio mmio;

    card->driver = nic_driver_of(id, pci_revision(sbdf), &card->card);
    if (!card->driver || (options->net_card != NET_CARD_ANY && options->net_card != sbdf) ||
        !pci_open(&card->function, sbdf))
        return false;
    const struct register_access access = mmio_access(&mmio, paging_window(card->function.bar_pa));
    card->driver->read_state(&access, card->card, state);
    if (matches_options(options, state))
        return true;
    pci_close(&card->function);
    return false;
}

/* Cards are not reset here: all but one belong to the guest. */
bool channel_card_find(struct channel_card *found, const struct options *options)
{
    bool any = false;
    uint32_t id;

    for (uint32_t sbdf = 0; pci_find(&sbdf, &id); sbdf++) {
        struct channel_card card;
        struct nic_state state;
        if (!open_card(&card, sbdf, id, &state, options))
            continue;
        if (any && state.link_up)
            pci_close(&found->function);
        if (!any || state.link_up)
            *found = card;
        else
            pci_close(&card.function);
        any = true;
        if (state.link_up)
            break;
    }
    if (!any || !claim_card(&found->function))
        return false;
    pci_use(&found->function);
    return true;
}
