/* Kind: core, init */
/* Which driver a card has. Core. */
#include "serial/nic/nic.h"

const struct nic_card *nic_card_of(const struct nic_card *cards, size_t nr, uint32_t device)
{
    for (size_t i = 0; i < nr; i++)
        for (unsigned k = 0; k < NIC_NR_DEVICES && cards[i].devices[k] != 0; k++)
            if (cards[i].devices[k] == device)
                return &cards[i];
    return NULL;
}

const struct nic_driver *nic_driver_of(uint32_t id, uint8_t revision, const struct nic_card **card)
{
    if ((*card = e1000_driver.card_of(id, revision)))
        return &e1000_driver;
    if ((*card = realtek_driver.card_of(id, revision)))
        return &realtek_driver;
    return NULL;
}

bool nic_mac_is_good(const uint8_t mac[6])
{
    return !(mac[0] & 1) && (mac[0] | mac[1] | mac[2] | mac[3] | mac[4] | mac[5]);
}
