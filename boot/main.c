/*
 * The story of the boot, from the first C instruction to the guest's. Two acts: before the image moves into the carved
 * range, on the scratch stack, and after.
 */
#include "boot/acpi.h"
#include "boot/carve.h"
#include "boot/channel.h"
#include "boot/direct.h"
#include "boot/gdt.h"
#include "boot/guest.h"
#include "boot/hello.h"
#include "boot/image.h"
#include "boot/mb2.h"
#include "boot/options.h"
#include "boot/paging.h"
#include "boot/screen.h"
#include "boot/version.h"
#include "pt/engine.h"
#include "pt/scheme.h"
#include "serial/clock.h"
#include "serial/log.h"
#include "vmx/phys.h"
#include "vmx/vmx.h"

#define MIB (1ull << 20)
#define BOOT_STACK_SIZE 16384u
#define HELLO_SIZE 8192u
#define NR_CPUS 1u

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa); /* called by boot/entry.S */

/* What one act leaves for the next. Moves with the image. */
static struct {
    struct mb2_info info;
    struct options options;
    struct guest guest;
    struct pt_cpuid cpuid;
    enum pt_refusal refusal;
    struct pt_setup setup; /* all zero: no tracing */
    const char *no_vmx;    /* why we cannot be a hypervisor; NULL: we can */
    const char *no_pt;     /* why there is no tracing; NULL: there is */
    struct range carved;
    struct arena arena;
    uint64_t cr3, image_pa;
    struct channel channel;
    struct acpi_facts acpi;
} boot;

/* --- the first act: at 1 MiB ----------------------------------------------------------------------------------------
 */

/* The options say where the console is, so they are read first; what is wrong is said afterwards. */
static void read_options(const char *line)
{
    struct options_error error;
    options_default(&boot.options);
    bool good = options_parse(&boot.options, line, &error);
    log_console_set(boot.options.console_port, boot.options.console_baud);
    log_line("version %s", UNDERTRACE_VERSION);
    if (!good)
        boot_fail("bad option \"%s\": expected %s", error.word, error.expected);
    log_line("options: %s", line[0] ? line : "none, all defaults");
}

static void read_firmware_and_options(uint32_t magic, uint32_t info_pa)
{
    if (magic != MB2_BOOTLOADER_MAGIC) {
        log_console_set(0x3f8, 115200);
        boot_fail("not started by a Multiboot2 boot loader (magic %08x)", magic);
    }
    enum mb2_error error = mb2_parse(&boot.info, phys_to_virt(info_pa), 16 * MIB);
    screen_set(&boot.info.framebuffer);
    read_options(boot.info.line);
    if (error)
        boot_fail("cannot read the boot loader's information: %s", mb2_error_text(error));
}

/* What this CPU lets us do. Neither lack stops the guest. */
static void check_processor(void)
{
    boot.no_vmx = vmx_check();
    pt_cpuid_read(&boot.cpuid);
    boot.refusal = pt_options_resolve(&boot.setup, &boot.cpuid, &boot.options.pt);
    if (boot.no_vmx) {
        log_line("no VMX: %s; the guest boots without a hypervisor", boot.no_vmx);
        boot.no_pt = boot.no_vmx;
    } else if (boot.refusal && !pt_refusal_by_option(boot.refusal)) {
        log_line("no Intel PT: %s; the guest boots without tracing", pt_refusal_text(boot.refusal));
        boot.no_pt = pt_refusal_text(boot.refusal);
    }
}

/* An option that this CPU cannot follow is an error of who gave it, and said before anything else happens. */
static void check_options(void)
{
    char objection[160];
    if (boot.no_vmx || !boot.options.pt.enabled)
        return;
    if (boot.refusal == PT_BAD_OPTION) {
        pt_objection(objection, sizeof objection, &boot.cpuid, &boot.options.pt);
        boot_fail("%s", objection);
    }
    if (pt_refusal_by_option(boot.refusal))
        boot_fail("%s", pt_refusal_text(boot.refusal));
    const char *missing = boot.refusal == PT_OK ? vmx_switch_check(boot.options.pt.way) : NULL;
    if (missing)
        boot_fail("pt.switch=vmcs: %s, but supports root list", missing);
}

static uint64_t region_bytes(void)
{
    return boot.no_pt ? 0 : boot.options.pt.region_bytes * boot.options.pt.nr_regions;
}

static uint64_t region_align(void)
{
    return boot.no_pt ? 0 : pt_scheme_align(boot.setup.scheme, &boot.options.pt);
}

/* All that the arena will be asked for, each piece with the page that its alignment may cost. */
static uint64_t arena_bytes(uint64_t top)
{
    uint64_t bytes = image_bytes() + BOOT_STACK_SIZE + GDT_CPU_SIZE + paging_bytes(top);
    bytes += LINUX_BOOT_AREA_SIZE + boot.info.efi_map.size + 2 * HELLO_SIZE + 8 * 4096;
    if (!boot.no_vmx) {
        bytes += 4096ull * vmx_ept_pages_needed(top) + NR_CPUS * vmx_cpu_size;
        bytes += channel_bytes(&boot.options, NR_CPUS) + NR_CPUS * (PT_ENGINE_SIZE + region_bytes());
    }
    return bytes;
}

static void carve(uint32_t info_pa, uint64_t image_pa)
{
    struct range avoid[MB2_MAX_MODULES + 2];
    unsigned nr_avoid = 0;
    avoid[nr_avoid++] = (struct range){info_pa, info_pa + boot.info.size};
    avoid[nr_avoid++] = (struct range){image_pa, image_pa + image_bytes() + MIB}; /* the scratch part too */
    for (uint32_t i = 0; i < boot.info.nr_modules; i++)
        avoid[nr_avoid++] = boot.info.modules[i].range;

    uint64_t size = arena_bytes(memory_map_top(&boot.info.map));
    struct carve_request request = {.size = (size + 2 * MIB - 1) & ~(2 * MIB - 1),
                                    .align = 2 * MIB,
                                    .within = {MIB, 4096 * MIB},
                                    .avoid = avoid,
                                    .nr_avoid = nr_avoid};
    if (region_align() > request.align)
        request.align = region_align(); /* the regions come first in the arena */
    if (!carve_find(&boot.carved, &boot.info.map, &request))
        boot_fail("too little memory: no %lu KiB are free below 4 GiB", request.size / 1024);
    boot.arena = (struct arena){phys_to_virt(boot.carved.start), boot.carved.start, request.size, 0};
    log_line("memory %lx to %lx is ours, %lu KiB", boot.carved.start, boot.carved.end, request.size / 1024);
}

static void *take(uint64_t size)
{
    void *memory = arena_take(&boot.arena, size, 4096);
    if (!memory)
        boot_fail("the carved memory is too small: %lu bytes more were asked for", size);
    return memory;
}

static _Noreturn void moved_main(void);

/* The trace regions are taken first: the carved range has their alignment. */
static struct pt_region_memory regions;

static _Noreturn void move(void)
{
    uint64_t top = memory_map_top(&boot.info.map);
    if (region_bytes()) {
        regions.va = take(region_bytes());
        regions.pa = virt_to_phys(regions.va);
    }
    void *image = take(image_bytes());
    uint8_t *stack = take(BOOT_STACK_SIZE);
    boot.image_pa = virt_to_phys(image);
    boot.cr3 = paging_build(&boot.arena, &boot.info.map, top, boot.image_pa);
    if (boot.cr3 == 0)
        boot_fail("the carved memory is too small for the page tables");
    image_move(image, image_start, image_bytes(), boot.cr3, stack + BOOT_STACK_SIZE, moved_main);
}

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa)
{
    gdt_load_early();
    read_firmware_and_options(magic, info_pa);
    guest_find(&boot.guest, &boot.info);
    check_processor();
    check_options();
    carve(info_pa, image_pa);
    move();
}

/* --- the second act: in the carved range ----------------------------------------------------------------------------
 */

/* What is mapped: boot/paging.c maps at least the lower 4 GiB. */
static const uint8_t *acpi_map(void *context, uint64_t pa, uint64_t size)
{
    (void)context;
    return pa < 4096 * MIB && size <= 4096 * MIB - pa ? phys_to_virt(pa) : NULL;
}

static const struct acpi_memory acpi_memory = {acpi_map, NULL};

static const char *guest_name(void)
{
    return boot.guest.kernel.version[0] ? boot.guest.kernel.version : "a kernel without a version string";
}

/* Open the channel and say hello. Without anyone who takes the trace there is none, unless that was asked for. */
static void open_channel(void)
{
    channel_open(&boot.channel, &boot.options, NR_CPUS, &boot.arena);
    char *text = take(HELLO_SIZE);
    struct hello_facts facts = {.cpuid = &boot.cpuid,
                                .setup = boot.no_pt ? NULL : &boot.setup,
                                .config = &boot.options.pt,
                                .pt = boot.no_pt ? boot.no_pt : "on",
                                .options = boot.info.line,
                                .guest = guest_name(),
                                .guest_line = boot.guest.line,
                                .channel = boot.channel.sink->ops->name,
                                .image_base = IMAGE_BASE,
                                .image_pa = boot.image_pa,
                                .image_bytes = image_bytes(),
                                .reserved_start = boot.carved.start,
                                .reserved_end = boot.carved.end,
                                .nr_cpus = NR_CPUS};
    uint32_t size = hello_text(text, HELLO_SIZE, &facts);
    channel_hello(&boot.channel, &boot.options, text, size, &boot.arena);
    if (boot.channel.kind == CHANNEL_NONE && !boot.channel.wanted_none && !boot.no_pt) {
        boot.no_pt = "no channel";
        log_line("no channel for the trace; the guest boots without tracing");
    }
    log_line("channel %s", boot.channel.sink->ops->name);
}

/* For commands. */
static bool change_options(struct pt_options *config, const char *text, char *why, size_t size)
{
    struct options_error error;
    if (options_change(config, text, &error))
        return true;
    format_text(why, size, "bad option \"%s\": expected %s", error.word, error.expected);
    return false;
}

static struct pt_engine *init_tracing(void)
{
    uint8_t *memory = take(PT_ENGINE_SIZE);
    struct pt_options config = boot.options.pt;
    config.enabled = !boot.no_pt;
    struct pt_engine *pt = pt_engine_init(memory, virt_to_phys(memory), 0, &config, regions, boot.channel.sink);
    if (!boot.no_pt)
        image_send(pt, boot.image_pa, boot.cr3);
    pt_options_parser_set(pt, change_options);
    return pt;
}

/* ours: the carved range stays ours. */
static struct guest_entry load_guest(bool ours)
{
    struct guest_machine machine = {
        .map = &boot.info.map,
        .carved = boot.carved,
        .ours = ours,
        .rsdp_pa = acpi_rsdp_locate(&acpi_memory, boot.info.rsdp, boot.info.rsdp_size, boot.info.efi_system_table)};
    log_line("guest: %s", guest_name());
    struct guest_entry entry = guest_load(&boot.guest, &boot.info, &machine, &boot.arena);
    log_line("guest entered at %x, boot_params at %x", entry.eip, entry.esi);
    return entry;
}

/* All memory goes to the guest, ours too: nothing of us stays. */
static _Noreturn void start_without_vmx(void)
{
    struct guest_entry entry = load_guest(false);
    direct_enter(entry.spare_page_pa, entry.eip, entry.esi);
}

/* Commands are heard every 10 ms; where nobody can send one, root stays asleep. */
static uint64_t poll_tsc(void)
{
    return boot.no_pt || boot.channel.kind == CHANNEL_NONE ? 0 : clock_tsc_hz() / 100;
}

static _Noreturn void start_with_vmx(void)
{
    uint64_t top = memory_map_top(&boot.info.map);
    open_channel();
    struct pt_engine *pt = init_tracing();

    struct vmx_machine machine = {.reserved = boot.carved,
                                  .top_of_memory = top,
                                  .ports = channel_ports(&boot.channel, &boot.options, &boot.acpi),
                                  .code_pages = boot.options.code_pages && !boot.no_pt,
                                  .watch_lvtpc = !boot.no_pt,
                                  .way = boot.no_pt ? PT_SWITCH_ROOT : boot.options.pt.way,
                                  .poll_tsc = poll_tsc(),
                                  .trigger = boot.no_pt ? 0 : boot.options.pt.trigger,
                                  .nr_ept_pages = vmx_ept_pages_needed(top)};
    machine.ept_pool = take(4096ull * machine.nr_ept_pages);
    void *cpu = take(vmx_cpu_size);
    const char *failure = vmx_machine_init(&machine);
    if (failure)
        boot_fail("cannot prepare the machine for the guest: %s", failure);

    /* VISIBLE: one reserved range, here and in UEFI's map (boot/guest.c). */
    if (!memory_map_reserve(&boot.info.map, boot.carved))
        boot_fail("the memory map has no room for one reserved range more");
    struct guest_entry loaded = load_guest(true);
    paging_drop_identity(boot.cr3);
    log_guest_owns_console();
    struct vmx_entry entry = {.eip = loaded.eip, .esi = loaded.esi, .gdt_pa = loaded.spare_page_pa};
    vmx_cpu_run(cpu, 0, pt, &entry);
}

static _Noreturn void moved_main(void)
{
    idt_fill(true);
    gdt_load_cpu(take(GDT_CPU_SIZE), 0);
    acpi_read(&boot.acpi, &acpi_memory, boot.info.rsdp, boot.info.rsdp_size);
    /* VISIBLE: the others wait for their SIPI, and the guest could send one. */
    if (boot.acpi.cpus.nr > 1 && !boot.no_vmx)
        log_line("%u CPUs, but only the first is virtualized: the guest must be told to keep to it (nr_cpus=1)",
                 boot.acpi.cpus.nr);
    if (boot.no_vmx)
        start_without_vmx();
    start_with_vmx();
}
