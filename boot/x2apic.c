/* Kind: core, init */
#include "boot/x2apic.h"

#include <stddef.h>

enum x2apic_hold x2apic_hold_of(struct x2apic_facts facts, const uint32_t *apic_ids, uint32_t nr, uint32_t *high_id)
{
    if (!facts.on)
        return X2APIC_FREE;
    if (facts.locked)
        return X2APIC_LOCKED;
    for (uint32_t i = 0; i < nr; i++) {
        if (apic_ids[i] > XAPIC_MAX_ID) {
            *high_id = apic_ids[i];
            return X2APIC_HIGH_ID;
        }
    }
    return X2APIC_FREE;
}

const char *x2apic_hold_text(enum x2apic_hold hold)
{
    static const char *const texts[] = {
        [X2APIC_LOCKED] = "x2APIC mode is locked: IA32_XAPIC_DISABLE_STATUS[0], LEGACY_XAPIC_DISABLED, is 1",
        [X2APIC_HIGH_ID] = "a CPU has an APIC id above 254",
        [X2APIC_FIRMWARE] = "the firmware, which runs as the guest, uses x2APIC mode",
    };

    return texts[hold];
}

const char *x2apic_hold_remedy(enum x2apic_hold hold)
{
    static const char *const remedies[] = {
        [X2APIC_LOCKED] = "use a serial line: channel=uart; or disable SGX and TDX in the firmware setup",
        [X2APIC_HIGH_ID] = "use a serial line: channel=uart; or disable Hyper-Threading or cores in the firmware setup",
        [X2APIC_FIRMWARE] = "use a serial line: channel=uart; or disable x2APIC or VT-d in the firmware setup",
    };

    return remedies[hold];
}
