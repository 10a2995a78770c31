/* Kind: core, init */
#include "serial/pci/pci_power.h"

enum { STATUS = 0x04, HEADER = 0x0c, FIRST_BAR = 0x10, LAST_BAR = 0x24, CAPABILITIES = 0x34, INTERRUPT = 0x3c };

#define STATUS_CAPABILITIES (1u << 20)
#define FIRST_CAPABILITY 0x40u
#define MOST_CAPABILITIES 48u /* as many as fit: a broken list may be circular */
#define POWER_MANAGEMENT 1u
#define PMCSR 4u
#define STATE_MASK 3u
#define PME_STATUS (1u << 15)   /* cleared by writing 1 */
#define HEADER_WRITABLE 0xffffu /* the upper half has the bit that starts the built-in self-test */
#define NR_KEPT ((LAST_BAR - FIRST_BAR) / 4 + 3)

/* The offset of the power management capability; 0: there is none. */
static uint32_t find_capability(const struct pci_config *c, uint32_t sbdf)
{
    uint32_t at = c->read(c->context, sbdf, CAPABILITIES) & 0xfc;

    if (!(c->read(c->context, sbdf, STATUS) & STATUS_CAPABILITIES))
        return 0;
    for (unsigned i = 0; i < MOST_CAPABILITIES && at >= FIRST_CAPABILITY; i++) {
        const uint32_t head = c->read(c->context, sbdf, at);
        if ((head & 0xff) == POWER_MANAGEMENT)
            return at;
        at = head >> 8 & 0xfc;
    }
    return 0;
}

static uint32_t kept_offset(unsigned i)
{
    return i == 0 ? HEADER : i == NR_KEPT - 1 ? INTERRUPT : FIRST_BAR + 4 * (i - 1);
}

bool pci_wake(const struct pci_config *c, uint32_t sbdf)
{
    const uint32_t at = find_capability(c, sbdf);
    const uint32_t control = at ? c->read(c->context, sbdf, at + PMCSR) : 0;
    uint32_t kept[NR_KEPT];

    if (!(control & STATE_MASK))
        return false;
    for (unsigned i = 0; i < NR_KEPT; i++)
        kept[i] = c->read(c->context, sbdf, kept_offset(i));
    c->write(c->context, sbdf, at + PMCSR, control & ~(STATE_MASK | PME_STATUS));
    c->wait_us(c->context, 10000);
    for (unsigned i = 0; i < NR_KEPT; i++)
        c->write(c->context, sbdf, kept_offset(i), i == 0 ? kept[i] & HEADER_WRITABLE : kept[i]);
    return true;
}
