/* Kind: core, init */
/* Which driver handles a PCI function. */
#include "serial/nic/nic.h"

#include "serial/nic/e1000.h"
#include "serial/nic/realtek.h"

const struct nic_driver *const nic_drivers[] = {&e1000_driver, &realtek_driver, NULL};

static bool lists(const struct nic_card *card, uint32_t id, uint8_t revision)
{
    if (card->vendor != (id & 0xffff) || revision < card->first_revision)
        return false;
    for (unsigned i = 0; i < NIC_NR_DEVICES && card->devices[i] != 0; i++)
        if (card->devices[i] == id >> 16)
            return true;
    return false;
}

const struct nic_driver *nic_driver_of(uint32_t id, uint8_t revision, const struct nic_card **card)
{
    for (size_t i = 0; nic_drivers[i]; i++)
        for (*card = nic_drivers[i]->cards; (*card)->vendor != 0; ++*card)
            if (lists(*card, id, revision))
                return nic_drivers[i];
    *card = NULL;
    return NULL;
}

bool nic_mac_is_good(const uint8_t mac[6])
{
    return !(mac[0] & 1) && (mac[0] | mac[1] | mac[2] | mac[3] | mac[4] | mac[5]);
}
