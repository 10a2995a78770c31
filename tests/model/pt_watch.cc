/*
 * What a test does from outside at emulated times. With each beat, a copy of memory such as the framebuffer, for guests
 * that can no longer report; the file always has a complete copy. And what firmware would have done.
 */
#include <stdlib.h>
#include <string.h>

#include <string>

#include "pt_internal.h"

#include "memory/memory-bochs.h"
#include "pc_system.h"

static const uint32_t WATCH_TICKS = 100000000;
static const uint64_t PAGE = 4096;

static struct {
    uint64_t pa, bytes;
    const char *path; /* NULL: none */
} watch;

/* PA:BYTES:FILE */
bool ptm_watch_option(const char *value)
{
    char *end;
    watch.pa = strtoull(value, &end, 0);
    if (*end != ':')
        return false;
    watch.bytes = strtoull(end + 1, &end, 0);
    if (*end != ':' || end[1] == 0 || watch.pa % PAGE != 0 || watch.bytes == 0 || watch.bytes % PAGE != 0)
        return false;
    watch.path = strdup(end + 1);
    return watch.path != NULL;
}

static void copy_memory(void *)
{
    const std::string unfinished = std::string(watch.path) + ".new";
    FILE *file = fopen(unfinished.c_str(), "wb");
    if (file == NULL)
        return;
    for (uint64_t at = 0; at < watch.bytes; at += PAGE) {
        uint8_t page[PAGE];
        BX_MEM(0)->readPhysicalPage(BX_CPU(0), watch.pa + at, PAGE, page);
        fwrite(page, PAGE, 1, file);
    }
    if (fclose(file) == 0)
        rename(unfinished.c_str(), watch.path);
}

/* Our firmware locks VMX on. This runs after it, before any boot loader, and leaves VMX locked off. */
static void lock_vmx(void)
{
    static const uint32_t LOCKED = 1;
    for (unsigned n = 0; n < BX_SMP_PROCESSORS; n++)
        BX_CPU(n)->msr.ia32_feature_ctrl = LOCKED;
}

static void firmware_ends(void *)
{
    if (ptm_config.vmx_locked)
        lock_vmx();
    if (ptm_config.x2apic != PTM_X2APIC_OFF)
        ptm_apic_hand_over();
}

void ptm_watch_start(void)
{
    if (ptm_config.vmx_locked || ptm_config.x2apic != PTM_X2APIC_OFF)
        bx_pc_system.register_timer_ticks(&watch, firmware_ends, WATCH_TICKS, false, true, "ptmodel.firmware");
    if (watch.path != NULL)
        bx_pc_system.register_timer_ticks(&watch, copy_memory, WATCH_TICKS, true, true, "ptmodel.watch");
}
