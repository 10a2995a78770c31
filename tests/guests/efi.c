/*
 * efi: what UEFI firmware has left for the operating system, after everything was loaded: its memory attributes table,
 * which is in EfiBootServicesData, is intact, and a runtime service works; also after SetVirtualAddressMap, for which
 * the firmware may need memory of the boot services once more, and after which it runs elsewhere.
 *
 * UEFI Specification 2.10: an operating system may use the memory of the boot services once it has taken what it needs
 * from it (7.2 "Memory Allocation Services"), so a boot loader must not have used that memory before. Sections 4.3
 * "EFI System Table", 4.6 "EFI Configuration Table", 8.3 "Time Services", 8.4 "Virtual Memory Services".
 */
#include "ap.h"
#include "machine.h"

/* At 16 MiB, where other guests are, OVMF unpacks itself. */
__asm__(".globl guest_place\n"
        "guest_place = 0x4000000");

enum { BOOT_SERVICES_CODE = 3, BOOT_SERVICES_DATA = 4, RUNTIME_CODE = 5, RUNTIME_DATA = 6 };
/* boot_params.efi_info; fields of EFI_MEMORY_DESCRIPTOR, EFI_SYSTEM_TABLE and EFI_MEMORY_ATTRIBUTES_TABLE */
enum { LOADER_SIGNATURE = 0x1c0, SYSTAB = 0x1c4, MEMDESC_SIZE = 0x1c8, MEMMAP = 0x1d0, MEMMAP_SIZE = 0x1d4 };
enum { MEMDESC_VERSION = 0x1cc };
enum { DESCRIPTOR_START = 8, DESCRIPTOR_VIRTUAL = 16, DESCRIPTOR_PAGES = 24, DESCRIPTOR_ATTRIBUTE = 32 };
enum { RUNTIME_SERVICES = 88, NR_TABLES = 104, TABLES = 112, TABLE_SIZE = 24 };
enum { ATTRIBUTES_VERSION = 0, ATTRIBUTES_NR = 4, ATTRIBUTES_SIZE = 8, ATTRIBUTES_FIRST = 16 };
#define GET_TIME 24
#define SET_VIRTUAL_ADDRESS_MAP 56
#define ATTRIBUTE_RUNTIME (1ull << 63)
#define VIRTUAL_BASE 0xffff800000000000ull /* entry 256 of the top-level page table */

static const uint32_t attributes_guid[4] = {0xdcfa911d, 0x469f26eb, 0xb73820a2, 0x201246dc};

extern const uint8_t start32[], noinit_end[]; /* start.S, guest.ld */

static uint32_t read32(const uint8_t *bytes)
{
    return *(const uint32_t *)bytes;
}

static uint64_t read64(const uint8_t *bytes)
{
    return *(const uint64_t *)bytes;
}

static const uint8_t *at(uint64_t pa)
{
    return (const uint8_t *)pa;
}

/* How many bytes of [start, end) are memory of the boot services. */
static uint64_t in_boot_services(const uint8_t *params, uint64_t start, uint64_t end)
{
    const uint8_t *map = at(read32(params + MEMMAP));
    const uint32_t step = read32(params + MEMDESC_SIZE);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i + step <= read32(params + MEMMAP_SIZE); i += step) {
        const uint32_t type = read32(map + i);
        uint64_t from = read64(map + i + DESCRIPTOR_START), to = from + (read64(map + i + DESCRIPTOR_PAGES) << 12);
        if (type != BOOT_SERVICES_CODE && type != BOOT_SERVICES_DATA)
            continue;
        from = from > start ? from : start;
        to = to < end ? to : end;
        bytes += from < to ? to - from : 0;
    }
    return bytes;
}

static const uint8_t *configuration_table(const uint8_t *system, const uint32_t *guid)
{
    const uint8_t *entry = at(read64(system + TABLES));
    for (uint64_t i = 0; i < read64(system + NR_TABLES); i++, entry += TABLE_SIZE) {
        bool same = true;
        for (uint32_t k = 0; k < 4; k++)
            same = same && read32(entry + 4 * k) == guid[k];
        if (same)
            return at(read64(entry + 16));
    }
    return NULL;
}

/* It describes the code and data of the runtime services, and nothing else. */
static bool attributes_intact(const uint8_t *table)
{
    const uint32_t nr = read32(table + ATTRIBUTES_NR), size = read32(table + ATTRIBUTES_SIZE);
    if (read32(table + ATTRIBUTES_VERSION) != 1 || nr == 0 || nr > 1000 || size < 40 || size > 100)
        return false;
    for (uint32_t i = 0; i < nr; i++) {
        const uint32_t type = read32(table + ATTRIBUTES_FIRST + i * size);
        if (type != RUNTIME_CODE && type != RUNTIME_DATA)
            return false;
    }
    return true;
}

static uint32_t year(const uint8_t *system)
{
    typedef uint64_t __attribute__((ms_abi)) get_time(void *time, void *capabilities);
    get_time *const service = (get_time *)read64(at(read64(system + RUNTIME_SERVICES)) + GET_TIME);
    uint8_t time[16] = {0};
    return service(time, NULL) == 0 ? *(const uint16_t *)(const void *)time : 0;
}

/* --- virtual addresses --- */

static uint8_t virtual_map[8192] __attribute__((aligned(8)));

/* One page at a time, as it is needed: what is mapped without a fault to a page that was executed at another address is
 * what a trace may miss (docs/visible.md). */
#define NR_TABLES_HIGH 24u
static NOINIT volatile uint64_t tables[NR_TABLES_HIGH][512] __attribute__((aligned(4096)));
static uint32_t tables_used;

static volatile uint64_t *table_below(volatile uint64_t *entry)
{
    if (*entry == 0 && tables_used < NR_TABLES_HIGH) {
        volatile uint64_t *table = tables[tables_used++];
        for (uint32_t i = 0; i < 512; i++)
            table[i] = 0;
        *entry = (uint64_t)table | 3;
    }
    return (volatile uint64_t *)(*entry & ~0xfffull);
}

static __attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    uint64_t address, cr3;
    (void)frame;
    __asm__ volatile("movq %%cr2, %0\n\tmovq %%cr3, %1" : "=r"(address), "=r"(cr3));
    if (address < VIRTUAL_BASE || error & 1) {
        console_line("efi: a page fault at", address);
        machine_power_off();
    }
    volatile uint64_t *table = (volatile uint64_t *)(cr3 & ~0xfffull);
    for (unsigned shift = 39; shift > 12; shift -= 9)
        table = table_below(&table[address >> shift & 511]);
    table[address >> 12 & 511] = ((address - VIRTUAL_BASE) & ~0xfffull) | 3;
}

/* The runtime services' memory goes to VIRTUAL_BASE plus its physical address. Returns the service's status. */
static uint64_t virtual_map_set(const uint8_t *params, const uint8_t *system)
{
    typedef uint64_t __attribute__((ms_abi)) set_map(uint64_t bytes, uint64_t step, uint32_t version, void *map);
    set_map *const service = (set_map *)read64(at(read64(system + RUNTIME_SERVICES)) + SET_VIRTUAL_ADDRESS_MAP);
    const uint8_t *map = at(read32(params + MEMMAP));
    const uint32_t step = read32(params + MEMDESC_SIZE);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i + step <= read32(params + MEMMAP_SIZE); i += step) {
        if (!(read64(map + i + DESCRIPTOR_ATTRIBUTE) & ATTRIBUTE_RUNTIME) || bytes + step > sizeof(virtual_map))
            continue;
        ap_copy(virtual_map + bytes, map + i, step);
        *(uint64_t *)(void *)(virtual_map + bytes + DESCRIPTOR_VIRTUAL) =
            VIRTUAL_BASE + read64(map + i + DESCRIPTOR_START);
        bytes += step;
    }
    interrupt_set(14, (void *)on_page_fault, 0);
    return service(bytes, step, read32(params + MEMDESC_VERSION), virtual_map);
}

/* --- the second CPU, if the command line has "two"
 * -------------------------------------------------------------------- */

static volatile uint32_t second_year;
static NOINIT uint8_t second_stack[16384];

static void second(uint64_t system)
{
    second_year = year((const uint8_t *)system);
    for (;;)
        __asm__ volatile("cli; hlt");
}

/* Page 1 of memory is free: the firmware has none of its own below 640 KiB at this time. */
static uint32_t year_on_second(const uint8_t *system)
{
    ap_prepare(0x1000, second, (uint64_t)system, (uint64_t)(second_stack + sizeof(second_stack)));
    ipi_xapic(1, IPI_INIT);
    ap_pause(100000);
    ipi_xapic(1, IPI_SIPI | 1);
    while (second_year == 0)
        __asm__ volatile("pause");
    return second_year;
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    if (read32(boot_params + LOADER_SIGNATURE) != 0x34364c45) { /* "EL64" */
        console_text("efi: no UEFI\r\n");
        return;
    }
    const uint8_t *system = at(read64(boot_params + SYSTAB) & 0xffffffff);
    const uint8_t *attributes = configuration_table(system, attributes_guid);
    const uint64_t image = (uint64_t)start32, params = (uint64_t)boot_params;
    const uint64_t overwritten = in_boot_services(boot_params, image, (uint64_t)noinit_end) +
                                 in_boot_services(boot_params, params, params + 0x3000);
    const bool intact = attributes && attributes_intact(attributes);
    const uint32_t now = year(system);

    console_line("efi: memory of the boot services", in_boot_services(boot_params, 0, ~0ull));
    console_line("efi: of which the loader used", overwritten);
    console_line("efi: a memory attributes table at", (uint64_t)attributes);
    console_line("efi: it is intact", intact);
    console_line("efi: the year is", now);
    console_line("efi: SetVirtualAddressMap", virtual_map_set(boot_params, system));
    const bool moved = read64(system + RUNTIME_SERVICES) >= VIRTUAL_BASE;
    const uint32_t later = year(system);
    console_line("efi: the runtime services have moved", moved);
    console_line("efi: the year there is", later);
    if (command_line_has(command_line(boot_params), "two", NULL))
        console_line("efi: and on the other CPU", year_on_second(system));
    if (overwritten == 0 && intact && now >= 2023 && now < 2100 && moved && later == now)
        console_text("efi: ok\r\n");
}
