/* Kind: shell */
#include "vmx/vmcs/bitmaps.h"

#include "base/init.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/policy/io_ports.h"
#include "vmx/policy/msr_policy.h"

static uint8_t *io_bitmaps, *msr_bitmap;
static uint32_t conditions;

INIT_CODE const char *bitmaps_build(const struct vmx_ports *ports, uint32_t msr_conditions)
{
    io_bitmaps = ept_pool_take(IO_BITMAPS_SIZE / EPT_PAGE_SIZE);
    msr_bitmap = ept_pool_take(MSR_BITMAP_SIZE / EPT_PAGE_SIZE);
    if (!io_bitmaps || !msr_bitmap)
        return "too few pages for EPT tables";
    io_ports_bitmap(io_bitmaps, ports);
    conditions = msr_conditions;
    msr_policy_bitmap(msr_bitmap, msr_conditions);
    return NULL;
}

const uint8_t *bitmap_of_io(unsigned which)
{
    return io_bitmaps + which * (IO_BITMAPS_SIZE / 2);
}

uint32_t bitmaps_msr_conditions(void)
{
    return conditions;
}

const uint8_t *bitmap_of_msrs(void)
{
    return msr_bitmap;
}
