/* Kind: shell, init */
#include "boot/guest/guest.h"

#include <string.h>

#include "base/phys.h"
#include "boot/fail.h"
#include "boot/guest/disk_load.h"
#include "boot/guest/efi_map.h"
#include "boot/mb2.h"

static void kernel_check(struct guest *guest)
{
    const struct range file = guest->sources.kernel;
    enum linux_error error = linux_check(&guest->kernel, phys_to_virt(file.start), (size_t)(file.end - file.start));

    if (!error && strlen(guest->line) > guest->kernel.line_max)
        error = LINUX_LINE_TOO_LONG;
    if (error)
        boot_fail("kernel: %s", linux_error_text(error));
}

/* GRUB's "module2 (hd0)+1" has an empty line. */
static const char *disk_name(const struct boot_module *module)
{
    return module->line[0] ? mb2_module_rest(module, "disk") : module->line;
}

void guest_find(struct guest *guest, const struct boot_info *info)
{
    const struct boot_module *kernel = NULL, *initrd = NULL;

    if (info->nr_modules == 1 && disk_name(&info->modules[0])) {
        disk_find(guest, info, &info->modules[0], disk_name(&info->modules[0]));
        return;
    }
    for (uint32_t i = 0; i < info->nr_modules; i++) {
        const struct boot_module *module = &info->modules[i];
        bool is_kernel = mb2_module_rest(module, "kernel"), is_initrd = mb2_module_rest(module, "initrd");
        if (disk_name(module))
            boot_fail("module %u is a disk's boot sector: expected no other module beside it", i);
        if (!is_kernel && !is_initrd)
            boot_fail("module %u is \"%s\": expected \"kernel <command line>\", \"initrd\" or \"disk hdN\"", i,
                      module->line);
        if (is_kernel ? kernel != NULL : initrd != NULL)
            boot_fail("module %u is a second %s", i, is_kernel ? "kernel" : "initrd");
        *(is_kernel ? &kernel : &initrd) = module;
    }
    if (!kernel)
        boot_fail("no kernel: expected \"module2 FILE kernel COMMAND-LINE\" in the boot loader's configuration");

    *guest = (struct guest){.line = mb2_module_rest(kernel, "kernel"), .sources.kernel = kernel->range};
    if (initrd)
        guest->sources.initrd = initrd->range;
    kernel_check(guest);
}

const char *guest_name(const struct guest *guest)
{
    return guest->kernel.version[0] ? guest->kernel.version : "a kernel without a version string";
}

/* Build the boot area in a buffer: its final place may hold the files, the map or the command line that it is made
 * from. Returns its size. */
static uint64_t build_boot_area(uint8_t *area, const struct guest *guest, const struct boot_info *info,
                                const struct guest_machine *machine, const struct linux_place *place)
{
    struct linux_facts facts = {.map = machine->map,
                                .framebuffer = &info->framebuffer,
                                .efi = info->efi_system_table != 0,
                                .rsdp_pa = machine->rsdp_pa,
                                .initrd_size = guest->sources.initrd.end - guest->sources.initrd.start};
    if (info->efi_system_table && guest->sources.efi_map_bytes) {
        const struct range nothing = {0, 0};
        facts.efi_system_table = info->efi_system_table;
        facts.efi_descriptor_size = info->efi_map.descriptor_size;
        facts.efi_descriptor_version = info->efi_map.descriptor_version;
        facts.efi_map_size = efi_map_build(area + LINUX_BOOT_AREA_SIZE, &info->efi_map,
                                           machine->carved_is_reserved ? machine->carved : nothing);
    }
    facts.e820_rest = LINUX_BOOT_AREA_SIZE + guest->sources.efi_map_bytes;
    linux_e820_rest_build(area + facts.e820_rest, machine->map);
    linux_params_build(area, &guest->kernel, place, &facts);
    memcpy(area + LINUX_PARAMS_SIZE, guest->line, strlen(guest->line));
    return facts.e820_rest + linux_e820_rest_bytes(machine->map);
}

struct guest_entry guest_load(struct guest *guest, const struct boot_info *info, const struct guest_machine *machine,
                              struct arena *arena)
{
    struct linux_place place;
    struct range initrd = guest->sources.initrd;

    if (guest->disk.sector_pa)
        return disk_load(guest, machine);
    guest->sources.ours = machine->carved;
    guest->sources.efi_map_bytes = efi_map_bytes(&info->efi_map);
    guest->sources.e820_bytes = linux_e820_rest_bytes(machine->map);
    enum linux_error error = linux_place(&place, &guest->kernel, machine->places, &guest->sources);
    if (error)
        boot_fail("%s", linux_error_text(error));
    uint8_t *area =
        arena_take(arena, LINUX_BOOT_AREA_SIZE + guest->sources.efi_map_bytes + guest->sources.e820_bytes, 8);
    if (!area)
        boot_fail("our memory range is too small for the boot parameters");
    uint64_t area_size = build_boot_area(area, guest, info, machine, &place);

    struct linux_kernel kernel = guest->kernel;
    if (place.initrd != initrd.start)
        memmove(phys_to_virt(place.initrd), phys_to_virt(initrd.start), (size_t)(initrd.end - initrd.start));
    memmove(phys_to_virt(place.kernel.start), kernel.file + kernel.code_offset, kernel.code_size);
    memcpy(phys_to_virt(place.boot_area), area, area_size);
    return (struct guest_entry){
        .eip = (uint32_t)place.kernel.start,
        .esi = (uint32_t)place.boot_area,
        .spare_page_pa = (uint32_t)(place.boot_area + LINUX_BOOT_AREA_SIZE - 4096),
    };
}
