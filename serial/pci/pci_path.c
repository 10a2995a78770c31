/* Kind: core, init */
#include "serial/pci/pci_path.h"

#include <stdbool.h>

enum { ID = 0x00, HEADER_TYPE = 0x0c, BUS_NUMBERS = 0x18 };

#define NO_FUNCTION 0xffffffffu
#define TYPE_MASK 0x007f0000u
#define TYPE_BRIDGE 0x00010000u
#define BUS_OF(bdf) ((bdf) >> 8)
#define FUNCTION_OF(bdf) ((bdf)&7u)
#define FUNCTIONS_A_BUS 256u

struct config {
    pci_config_read *read;
    void *context;
};

static uint32_t config_get(const struct config *config, uint32_t bdf, uint32_t offset)
{
    return config->read(config->context, (uint16_t)bdf, offset);
}

static bool exists(const struct config *config, uint32_t bdf)
{
    return config_get(config, bdf, ID) != NO_FUNCTION;
}

/* Secondary bus number: bits 15:8. */
static bool leads_to(const struct config *config, uint32_t bdf, uint32_t bus)
{
    return exists(config, bdf) && (config_get(config, bdf, HEADER_TYPE) & TYPE_MASK) == TYPE_BRIDGE &&
           (config_get(config, bdf, BUS_NUMBERS) >> 8 & 0xff) == bus;
}

/* A bridge's secondary bus has a higher number than the bus that it is on. */
static bool bridge_to(uint16_t *bridge, const struct config *config, uint32_t bus)
{
    for (uint32_t bdf = 0; bdf < bus * FUNCTIONS_A_BUS; bdf++) {
        if (leads_to(config, bdf, bus)) {
            *bridge = (uint16_t)bdf;
            return true;
        }
    }
    return false;
}

/* Is it the only function on its bus? */
static bool is_only_one(const struct config *config, uint32_t bdf)
{
    const uint32_t first = BUS_OF(bdf) * FUNCTIONS_A_BUS;

    for (uint32_t other = first; other < first + FUNCTIONS_A_BUS; other++)
        if (other != bdf && exists(config, other))
            return false;
    return true;
}

/* Without its first function a device does not exist: hiding it would hide the others too. */
static bool others_depend_on(const struct config *config, uint32_t bdf)
{
    if (FUNCTION_OF(bdf) != 0)
        return false;
    for (uint32_t other = bdf + 1; other < bdf + 8; other++)
        if (exists(config, other))
            return true;
    return false;
}

void pci_path_find(struct pci_path *path, pci_config_read *read, void *context, uint16_t bdf)
{
    const struct config config = {read, context};
    bool exclusive = true;

    *path = (struct pci_path){0};
    while (path->nr < PCI_PATH_MAX && BUS_OF(bdf) != 0) {
        uint16_t *bridge = &path->bridges[path->nr];
        if (!bridge_to(bridge, &config, BUS_OF(bdf)))
            return;
        path->nr++;
        exclusive = exclusive && is_only_one(&config, bdf) && !others_depend_on(&config, *bridge);
        if (exclusive)
            path->nr_exclusive = path->nr;
        bdf = *bridge;
    }
}
