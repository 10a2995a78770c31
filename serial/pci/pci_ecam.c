/* Kind: core, init */
#include "serial/pci/pci_ecam.h"

uint64_t pci_ecam_page(const struct pci_ecams *ecams, uint32_t sbdf)
{
    for (uint32_t i = 0; i < ecams->nr; i++) {
        const struct pci_ecam *e = &ecams->list[i];

        if (e->segment == PCI_SEGMENT_OF(sbdf) && PCI_BUS_OF(sbdf) >= e->first_bus && PCI_BUS_OF(sbdf) <= e->last_bus)
            return e->pa + ((uint64_t)(sbdf & 0xffff) << 12);
    }
    return 0;
}

uint32_t pci_ecam_next(const struct pci_ecams *ecams, uint32_t sbdf)
{
    uint32_t next = PCI_SBDF_NONE;

    for (uint32_t i = 0; i < ecams->nr; i++) {
        const struct pci_ecam *e = &ecams->list[i];
        const uint32_t first = (uint32_t)e->segment << 16 | (uint32_t)e->first_bus << 8;
        const uint32_t last = (uint32_t)e->segment << 16 | (uint32_t)e->last_bus << 8 | 0xff;
        const uint32_t here = sbdf > first ? sbdf : first;

        if (e->segment != 0 && here <= last && here < next)
            next = here;
    }
    return next;
}
