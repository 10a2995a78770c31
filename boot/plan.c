/* Kind: shell, init */
#include "boot/plan.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "boot/hello.h"
#include "boot/memory/e820.h"
#include "boot/memory/image.h"
#include "boot/memory/paging.h"
#include "boot/selftest/selftest_wire.h"
#include "pt/output/scheme.h"
#include "vmx/host/gdt.h"

#define MIB (1ull << 20)
#define KIB 1024u

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static uint64_t region_align(const struct boot_state *boot)
{
    return boot->no_pt ? 1 : pt_scheme_align(boot->setup.scheme, &boot->options.pt);
}

/* One CPU's trace regions, and padding up to the next CPU's. */
static uint64_t region_bytes(const struct boot_state *boot)
{
    const struct pt_options *pt = &boot->options.pt;
    return boot->no_pt ? 0 : round_up(pt->region_bytes * pt->nr_regions, region_align(boot));
}

/* One CPU's memory. */
static uint64_t cpu_bytes(const struct boot_state *boot)
{
    uint64_t bytes = sizeof(struct boot_cpu) + BOOT_STACK_SIZE + GDT_CPU_SIZE;
    return boot->no_vmx ? bytes : bytes + vmx_cpu_size + PT_ENGINE_SIZE + region_bytes(boot);
}

/* The sum of everything that will be allocated from the arena. */
static uint64_t arena_bytes(struct boot_state *boot)
{
    uint64_t top = memory_map_top(&boot->info.map);
    uint64_t bytes = moved_bytes() + paging_bytes(top) + boot->nr_cpus * cpu_bytes(boot);
    bytes += LINUX_BOOT_AREA_SIZE + LINUX_E820_REST_MAX + boot->info.efi_map.size + 2 * hello_bytes_max(boot->nr_cpus) +
             sizeof *boot + 8 * 4096;
    if (boot->guest.disk.sector_pa)
        bytes += E820_ENTRY_SIZE * MEMORY_MAP_MAX + 4096;
    if (!boot->no_vmx)
        bytes += 4096ull * boot->nr_ept_pages + vmx_map_memory_size;
    if (!boot->no_vmx || boot->options.selftest)
        bytes += channel_bytes(&boot->options, boot->nr_cpus);
    if (boot->options.selftest)
        bytes += SELFTEST_WIRE_BYTES + 4096;
    const struct vtd_request vtd = boot_vtd_request(boot);
    return bytes + protect_bytes(&boot->vtd, &vtd, bytes);
}

static _Noreturn void fail_too_little(const struct boot_state *boot, uint64_t size)
{
    const struct pt_options *pt = &boot->options.pt;
    if (boot->no_pt)
        boot_fail("too little memory: %lu KiB are not free in one piece below 4 GiB", size / KIB);
    boot_fail("too little memory: %lu KiB are not free in one piece below 4 GiB, for %u CPUs x %u regions x %lu KiB "
              "and our own data; reduce pt.regions= or pt.region=",
              size / KIB, boot->nr_cpus, pt->nr_regions, pt->region_bytes / KIB);
}

/* EPT tables for all memory may need 2 MiB for each GiB, and our range must lie below 4 GiB. If it does not fit, halve
 * the number of tables beyond the least that suits most guests, and try again. */
static bool carve_with_ept(struct boot_state *boot, struct carve_request *request)
{
    const uint64_t top = memory_map_top(&boot->info.map);
    const uint32_t for_units = boot->acpi.dmar.nr_units; /* vmx_filter: check_other_cpus may find that it is needed */
    const uint32_t all = vmx_ept_pages_needed(top) + for_units, least = vmx_ept_pages_least(top) + for_units;

    for (boot->nr_ept_pages = all;; boot->nr_ept_pages = least + (boot->nr_ept_pages - least) / 2) {
        request->size = round_up(arena_bytes(boot), 2 * MIB);
        if (carve_find(&boot->carved, &boot->places, request))
            break;
        if (boot->nr_ept_pages == least || boot->no_vmx)
            return false;
    }
    if (boot->nr_ept_pages != all)
        log_line(
            "memory below 4 GiB has room for %u of %u EPT tables: a guest that runs code all over its memory will be "
            "stopped when they are used up",
            boot->nr_ept_pages, all);
    return true;
}

void plan_carve(struct boot_state *boot, uint32_t info_pa, uint64_t image_pa)
{
    struct range avoid[BOOT_MAX_MODULES + 2];
    unsigned nr_avoid = 0;
    avoid[nr_avoid++] = (struct range){info_pa, info_pa + boot->info.size};
    avoid[nr_avoid++] = (struct range){image_pa, image_pa + moved_bytes() + MIB}; /* MIB: .scratch follows the image */
    for (uint32_t i = 0; i < boot->info.nr_modules; i++)
        avoid[nr_avoid++] = boot->info.modules[i].range;

    struct carve_request request = {.align = region_align(boot) > 2 * MIB ? region_align(boot) : 2 * MIB,
                                    .within = {MIB, 4096 * MIB},
                                    .avoid = avoid,
                                    .nr_avoid = nr_avoid};
    if (!carve_with_ept(boot, &request))
        fail_too_little(boot, request.size);
    boot->arena = (struct arena){phys_to_virt(boot->carved.start), boot->carved.start, request.size, 0};
    log_line("reserved memory: %lx to %lx, %lu KiB", boot->carved.start, boot->carved.end, request.size / KIB);
}

void *plan_alloc(struct boot_state *boot, uint64_t size)
{
    void *memory = arena_take(&boot->arena, size, 4096);
    if (!memory)
        boot_fail("our memory range is too small: no room for another %lu bytes", size);
    return memory;
}

void plan_cpus(struct boot_state *boot)
{
    uint64_t stride = region_bytes(boot);
    uint8_t *regions = stride ? plan_alloc(boot, stride * boot->nr_cpus) : NULL;
    boot->cpus = plan_alloc(boot, boot->nr_cpus * sizeof *boot->cpus);
    for (uint16_t i = 0; i < boot->nr_cpus; i++) {
        struct boot_cpu *cpu = &boot->cpus[i];
        cpu->number = i;
        cpu->apic_id = boot->acpi.cpus.apic_ids[i];
        cpu->stack_top = (uint8_t *)plan_alloc(boot, BOOT_STACK_SIZE) + BOOT_STACK_SIZE;
        cpu->descriptors = plan_alloc(boot, GDT_CPU_SIZE);
        if (boot->no_vmx)
            continue;
        cpu->pt_memory = plan_alloc(boot, PT_ENGINE_SIZE);
        cpu->vmx_memory = plan_alloc(boot, vmx_cpu_size);
        if (regions)
            cpu->regions = (struct pt_region_memory){regions + i * stride, virt_to_phys(regions + i * stride)};
    }
}
