/*
 * The story of the boot, from the first C instruction to the guest's. Two acts: before the image moves into the carved
 * range, on the scratch stack, and after.
 */
#include <string.h>

#include "boot/carve.h"
#include "boot/gdt.h"
#include "boot/mb2.h"
#include "boot/options.h"
#include "boot/paging.h"
#include "boot/screen.h"
#include "boot/version.h"
#include "serial/log.h"
#include "vmx/phys.h"

#define MIB (1ull << 20)
#define BOOT_STACK_SIZE 16384u

extern const char image_start[], image_end[]; /* linker.ld */

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa); /* called by boot/entry.S */

/* What one act leaves for the next. Moves with the image. */
static struct {
    struct mb2_info info;
    struct options options;
    struct range carved;
    struct arena arena;
    uint64_t cr3;
} boot;

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

static uint64_t image_bytes(void)
{
    return (uint64_t)(image_end - image_start);
}

static void carve(uint32_t info_pa, uint64_t image_pa)
{
    uint64_t top = memory_map_top(&boot.info.map);
    uint64_t size = image_bytes() + BOOT_STACK_SIZE + GDT_CPU_SIZE + paging_bytes(top) + 4 * MIB;
    struct range avoid[MB2_MAX_MODULES + 2];
    unsigned nr_avoid = 0;
    avoid[nr_avoid++] = (struct range){info_pa, info_pa + boot.info.size};
    avoid[nr_avoid++] = (struct range){image_pa, image_pa + image_bytes() + MIB}; /* the scratch part too */
    for (uint32_t i = 0; i < boot.info.nr_modules; i++)
        avoid[nr_avoid++] = boot.info.modules[i].range;

    struct carve_request request = {.size = (size + 2 * MIB - 1) & ~(2 * MIB - 1),
                                    .align = 2 * MIB,
                                    .within = {MIB, 4096 * MIB},
                                    .avoid = avoid,
                                    .nr_avoid = nr_avoid};
    if (!carve_find(&boot.carved, &boot.info.map, &request))
        boot_fail("too little memory: no %lu KiB are free below 4 GiB", request.size / 1024);
    boot.arena = (struct arena){phys_to_virt(boot.carved.start), boot.carved.start, request.size, 0};
    log_line("memory %lx to %lx is ours, %lu KiB", boot.carved.start, boot.carved.end, request.size / 1024);
}

static _Noreturn void moved_main(void);

static _Noreturn void move(void)
{
    uint64_t top = memory_map_top(&boot.info.map);
    void *image = arena_take(&boot.arena, image_bytes(), 4096);
    uint8_t *stack = arena_take(&boot.arena, BOOT_STACK_SIZE, 4096);
    boot.cr3 = paging_build(&boot.arena, &boot.info.map, top, virt_to_phys(image));
    if (!image || !stack || boot.cr3 == 0)
        boot_fail("the carved memory is too small for the image and its page tables");
    image_move(image, image_start, image_bytes(), boot.cr3, stack + BOOT_STACK_SIZE, moved_main);
}

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa)
{
    gdt_load_early();
    read_firmware_and_options(magic, info_pa);
    carve(info_pa, image_pa);
    move();
}

static _Noreturn void moved_main(void)
{
    gdt_load_cpu(arena_take(&boot.arena, GDT_CPU_SIZE, 4096));
    log_line("moved");
    boot_fail("nothing more is here yet");
}
