/* Kind: shell, init */
#include "boot/efi/cpus.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "base/trace_clock.h"
#include "boot/check.h"
#include "boot/efi/firmware.h"
#include "boot/efi/gate.h"
#include "vmx/host/gdt.h"

/* Written by the first CPU, read by all others. */
static struct {
    struct boot_cpu *cpus;
    uint16_t nr_cpus;
    const struct pt_cpuid *pt;
    cpus_enter_function *enter;
    uint32_t strangers; /* atomic: CPUs whose APIC id is not in cpus */
} shared;

/* --- on the other CPU ------------------------------------------------------------------------------------------------
 */

static struct boot_cpu *own_cpu(void)
{
    const uint32_t apic_id = check_own_apic_id();

    for (uint16_t i = 1; i < shared.nr_cpus; i++)
        if (shared.cpus[i].apic_id == apic_id)
            return &shared.cpus[i];
    __atomic_fetch_add(&shared.strangers, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void check_here(const struct efi_context *context)
{
    struct boot_cpu *cpu = own_cpu();
    const uint64_t gs_base = msr_read(IA32_GS_BASE);

    (void)context;
    if (!cpu)
        return;
    msr_write(IA32_GS_BASE, 0);
    gdt_load_without_task(cpu->descriptors, cpu->number);
    aps_check_here(cpu, shared.pt);
    msr_write(IA32_GS_BASE, gs_base);
}

static void enter_here(const struct efi_context *context)
{
    struct boot_cpu *cpu = own_cpu();

    if (cpu)
        shared.enter(cpu, context);
}

/* --- on the first CPU ------------------------------------------------------------------------------------------------
 */

/* All CPUs at a time; returns when all have returned. */
static bool call_on_others(void (*function)(const struct efi_context *context))
{
    const uint64_t services = firmware_protocol(&EFI_MP_SERVICES);
    struct efi_area *area = firmware_area();

    if (!services)
        return false;
    area->ap_main = (uint64_t)(uintptr_t)function;
    return !firmware_call(read64((const uint8_t *)phys_to_virt(services) + MP_STARTUP_ALL), services,
                          firmware_low_pa(efi_ap_procedure), 0, 0, 0, firmware_pa(area), 0);
}

static const char *add_processor(struct madt_cpus *cpus, uint64_t services, uint64_t number)
{
    struct efi_area *area = firmware_area();
    const uint64_t function = read64((const uint8_t *)phys_to_virt(services) + MP_GET_INFORMATION);

    if (firmware_call(function, services, number, firmware_pa(area->buffer)))
        return "the firmware does not describe all CPUs";
    const uint32_t status = read32(area->buffer + PROCESSOR_STATUS);
    if (!(status & PROCESSOR_ENABLED) || !(status & PROCESSOR_HEALTHY))
        return "the firmware has disabled a CPU, which would be outside our control";
    if (cpus->nr < BOOT_MAX_CPUS)
        cpus->apic_ids[cpus->nr] = (uint32_t)read64(area->buffer + PROCESSOR_ID);
    cpus->nr++;
    return NULL;
}

const char *cpus_list(struct madt_cpus *cpus)
{
    const uint64_t services = firmware_protocol(&EFI_MP_SERVICES);
    struct efi_area *area = firmware_area();
    const char *why = NULL;

    *cpus = (struct madt_cpus){0};
    if (!services)
        return NULL;
    const uint64_t get_number = read64((const uint8_t *)phys_to_virt(services) + MP_GET_NUMBER);
    if (firmware_call(get_number, services, firmware_pa(&area->words[0]), firmware_pa(&area->words[1])))
        return "the firmware does not say how many CPUs there are";
    const uint64_t nr = area->words[0];
    for (uint64_t i = 0; i < nr && !why; i++)
        why = add_processor(cpus, services, i);
    return why;
}

bool cpus_check(struct boot_cpu *cpus, uint16_t nr_cpus, uint64_t cr3, const struct pt_cpuid *pt)
{
    bool all = true;

    if (nr_cpus == 1)
        return true;
    trace_clock_set_number(gdt_cpu_number);
    shared.cpus = cpus;
    shared.nr_cpus = nr_cpus;
    shared.pt = pt;
    firmware_area()->cr3 = cr3;
    if (!call_on_others(check_here)) {
        log_line("the firmware's EFI_MP_SERVICES_PROTOCOL is missing or does not start the other CPUs");
        return false;
    }
    for (uint16_t i = 1; i < nr_cpus; i++)
        all &= aps_log(&cpus[i], cpus[i].checked ? cpus[i].no_vmx : "does not answer");
    return all && shared.strangers == 0;
}

bool cpus_enter(cpus_enter_function *enter)
{
    if (shared.nr_cpus <= 1)
        return true;
    shared.enter = enter;
    return call_on_others(enter_here) && shared.strangers == 0;
}
