/* Kind: shell */
#include "vmx/ept/memory_types.h"

#include <string.h>

#include "base/msr.h"
#include "vmx/ept/mtrr.h"

#define MTRRCAP_VCNT_MASK 0xffu
#define MTRRCAP_FIX (1ull << 8)

static struct mtrr_state current;
static bool have_read;

bool memory_types_read(void)
{
    struct mtrr_state now;
    const uint64_t cap = msr_read(IA32_MTRRCAP);

    memset(&now, 0, sizeof now);
    now.def_type = msr_read(IA32_MTRR_DEF_TYPE);
    if (have_read && !(now.def_type & MTRR_DEF_TYPE_E))
        return false;
    now.nr_variable = (uint32_t)(cap & MTRRCAP_VCNT_MASK);
    if (now.nr_variable > MTRR_MAX_VARIABLE)
        now.nr_variable = MTRR_MAX_VARIABLE;
    for (uint32_t i = 0; i < now.nr_variable; i++) {
        now.variable[i].base = msr_read(IA32_MTRR_PHYSBASE0 + 2 * i);
        now.variable[i].mask = msr_read(IA32_MTRR_PHYSBASE0 + 2 * i + 1);
    }
    if (cap & MTRRCAP_FIX)
        for (uint32_t i = 0; i < MTRR_NR_FIXED; i++)
            now.fixed[i] = msr_read(mtrr_fixed_msrs[i]);
    else
        now.def_type &= ~MTRR_DEF_TYPE_FE;
    if (have_read && memcmp(&now, &current, sizeof now) == 0)
        return false;
    current = now;
    have_read = true;
    return true;
}

int memory_type_of(uint64_t start, uint64_t size)
{
    return mtrr_type(&current, start, size);
}
