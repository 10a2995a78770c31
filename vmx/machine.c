/* The machine's owner: what all CPUs share. */
#include "vmx/machine.h"

#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/io_ports.h"
#include "vmx/msr_policy.h"

struct machine machine;

static uint8_t *io_bitmaps, *msr_bitmap;

const uint8_t *machine_io_bitmap(unsigned which)
{
    return io_bitmaps + which * (IO_BITMAPS_SIZE / 2);
}

const uint8_t *machine_msr_bitmap(void)
{
    return msr_bitmap;
}

const char *vmx_machine_init(const struct vmx_machine *config)
{
    machine.config = *config;
    const char *failed = ept_build(config);
    if (failed)
        return failed;
    io_bitmaps = ept_pool_take(IO_BITMAPS_SIZE / EPT_PAGE_SIZE);
    msr_bitmap = ept_pool_take(MSR_BITMAP_SIZE / EPT_PAGE_SIZE);
    if (!io_bitmaps || !msr_bitmap)
        return "too few pages for EPT tables";
    io_ports_bitmap(io_bitmaps, &config->ports);
    msr_policy_bitmap(msr_bitmap, cpu_msr_conditions());
    return NULL;
}

void machine_lock(struct cpu *cpu)
{
    if (!machine_has_others())
        return;
    lock_take(&machine.lock);
    machine.holder = cpu;
}

void machine_unlock(struct cpu *cpu)
{
    if (!machine_has_others() || machine.holder != cpu)
        return;
    machine.holder = NULL;
    lock_give(&machine.lock);
}
