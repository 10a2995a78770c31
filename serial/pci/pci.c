/* Kind: shell, init */
/* PCI configuration space: finding, opening and hiding the channel's device. */
#include "serial/pci/pci.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/io.h"
#include "serial/pci/pci_power.h"

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA 0xcfc
#define CONFIG_ENABLE 0x80000000u

enum { PCI_ID = 0x00, PCI_COMMAND = 0x04, PCI_CLASS = 0x08, PCI_HEADER_TYPE_DWORD = 0x0c, PCI_BAR0 = 0x10 };

#define NR_BARS 6u
#define COMMAND_IO 0x1u
#define COMMAND_MEMORY 0x2u
#define COMMAND_BUS_MASTER 0x4u
#define COMMAND_WRITABLE 0xffffu /* the upper half is the status register, whose bits are cleared by writing ones */
#define HEADER_MULTIFUNCTION 0x00800000u
#define BAR_IO 0x1u
#define BAR_TYPE_64 0x4u
#define BAR_TYPE_MASK 0x6u
#define BAR_ADDRESS_MASK (~0xfull)
#define NO_FUNCTION 0xffffffffu
#define SEGMENT 0x10000u /* functions of one segment */

static const struct pci_ecams *ecams;
static void *(*map_page)(uint64_t pa);

void pci_use_ecam(const struct pci_ecams *all, void *(*map)(uint64_t pa))
{
    ecams = all;
    map_page = map;
}

/* A doubleword of a function outside segment 0; NULL: ECAM does not cover it. */
static volatile uint32_t *in_memory(uint32_t sbdf, uint32_t offset)
{
    const uint64_t page = ecams ? pci_ecam_page(ecams, sbdf) : 0;

    return page ? (volatile uint32_t *)map_page(page) + offset / 4 : NULL;
}

static uint32_t config_read(uint32_t sbdf, uint32_t offset)
{
    if (sbdf >= SEGMENT) {
        const volatile uint32_t *at = in_memory(sbdf, offset);
        return at ? *at : NO_FUNCTION;
    }
    io_out32(CONFIG_ADDRESS, CONFIG_ENABLE | sbdf << 8 | offset);
    return io_in32(CONFIG_DATA);
}

static void config_write(uint32_t sbdf, uint32_t offset, uint32_t value)
{
    if (sbdf >= SEGMENT) {
        volatile uint32_t *at = in_memory(sbdf, offset);
        if (at)
            *at = value;
        return;
    }
    io_out32(CONFIG_ADDRESS, CONFIG_ENABLE | sbdf << 8 | offset);
    io_out32(CONFIG_DATA, value);
}

static uint32_t power_read(void *context, uint32_t sbdf, uint32_t offset)
{
    (void)context;
    return config_read(sbdf, offset);
}

static void power_write(void *context, uint32_t sbdf, uint32_t offset, uint32_t value)
{
    (void)context;
    config_write(sbdf, offset, value);
}

static void power_wait_us(void *context, uint32_t us)
{
    (void)context;
    clock_wait_us(us);
}

static const struct pci_config config_space = {power_read, power_write, power_wait_us, NULL};

/* Determine the size of a BAR by writing ones: section 6.2.5.1 "Address Maps". Decoding must be off. */
static uint64_t bar_size(uint32_t sbdf, uint32_t bar, uint32_t low)
{
    uint32_t mask;

    config_write(sbdf, bar, 0xffffffff);
    mask = config_read(sbdf, bar);
    config_write(sbdf, bar, low);
    return (~(mask & (uint32_t)BAR_ADDRESS_MASK) + 1ull) & 0xffffffff;
}

uint32_t pci_id(uint32_t sbdf)
{
    return config_read(sbdf, PCI_ID);
}

uint8_t pci_revision(uint32_t sbdf)
{
    return (uint8_t)config_read(sbdf, PCI_CLASS);
}

uint32_t pci_class(uint32_t sbdf)
{
    return config_read(sbdf, PCI_CLASS) >> 8;
}

/* Intel's cards have their registers in BAR 0. Realtek's have I/O ports there, and memory in BAR 1 or BAR 2. */
static uint32_t first_memory_bar(uint32_t sbdf)
{
    uint32_t bar = PCI_BAR0;

    while (bar < PCI_BAR0 + 4 * (NR_BARS - 1) && (config_read(sbdf, bar) & BAR_IO))
        bar += 4;
    return bar;
}

/* context: the segment. */
static uint32_t path_config_read(void *context, uint16_t bdf, uint32_t offset)
{
    return config_read(*(const uint32_t *)context | bdf, offset);
}

static uint32_t segment_of(const struct pci_function *function)
{
    return function->sbdf & ~(SEGMENT - 1);
}

/* Firmware may have left a bridge disabled if it used no device below it. */
static void open_bridges(struct pci_function *function)
{
    uint32_t segment = segment_of(function);

    pci_path_find(&function->path, path_config_read, &segment, (uint16_t)function->sbdf);
    for (unsigned i = function->path.nr; i-- > 0;) {
        const uint32_t bridge = segment | function->path.bridges[i];
        function->bridge_commands[i] = config_read(bridge, PCI_COMMAND) & COMMAND_WRITABLE;
        config_write(bridge, PCI_COMMAND, function->bridge_commands[i] | COMMAND_MEMORY | COMMAND_BUS_MASTER);
    }
}

static void close_bridges(const struct pci_function *function)
{
    for (unsigned i = 0; i < function->path.nr; i++)
        config_write(segment_of(function) | function->path.bridges[i], PCI_COMMAND, function->bridge_commands[i]);
}

bool pci_open(struct pci_function *function, uint32_t sbdf)
{
    (void)pci_wake(&config_space, sbdf);

    uint32_t command = config_read(sbdf, PCI_COMMAND) & COMMAND_WRITABLE;
    uint32_t bar = first_memory_bar(sbdf);
    uint32_t low = config_read(sbdf, bar);
    uint64_t high = (low & BAR_TYPE_MASK) == BAR_TYPE_64 ? config_read(sbdf, bar + 4) : 0;

    function->sbdf = sbdf;
    function->id = config_read(sbdf, PCI_ID);
    function->command = command;
    function->bar_pa = high << 32 | (low & BAR_ADDRESS_MASK);
    if ((low & BAR_IO) != 0 || function->bar_pa == 0) {
        return false;
    }
    open_bridges(function);
    config_write(sbdf, PCI_COMMAND, command & ~(COMMAND_MEMORY | COMMAND_BUS_MASTER));
    function->bar_bytes = bar_size(sbdf, bar, low);
    config_write(sbdf, PCI_COMMAND, (command | COMMAND_MEMORY) & ~COMMAND_BUS_MASTER);
    return true;
}

void pci_use(const struct pci_function *function)
{
    config_write(function->sbdf, PCI_COMMAND, (function->command | COMMAND_MEMORY | COMMAND_BUS_MASTER) & ~COMMAND_IO);
}

void pci_close(const struct pci_function *function)
{
    config_write(function->sbdf, PCI_COMMAND, function->command);
    close_bridges(function);
}

static bool is_multifunction(uint32_t sbdf)
{
    return (config_read(sbdf & ~7u, PCI_HEADER_TYPE_DWORD) & HEADER_MULTIFUNCTION) != 0;
}

/* The next address to try: in segment 0 any, in other segments only those that ECAM covers. */
static uint32_t sbdf_from(uint32_t sbdf)
{
    if (sbdf < SEGMENT)
        return sbdf;
    return ecams ? pci_ecam_next(ecams, sbdf) : PCI_SBDF_NONE;
}

bool pci_find(uint32_t *sbdf, uint32_t *id)
{
    for (; (*sbdf = sbdf_from(*sbdf)) != PCI_SBDF_NONE; ++*sbdf) {
        *id = config_read(*sbdf, PCI_ID);
        if (*id != NO_FUNCTION && (*sbdf % 8 == 0 || is_multifunction(*sbdf))) {
            return true;
        }
        if (*sbdf % 8 == 0) { /* without its first function, a device does not exist */
            *sbdf += 7;
        }
    }
    return false;
}

bool pci_open_bar0(struct pci_bar *bar, uint32_t sbdf)
{
    (void)pci_wake(&config_space, sbdf);
    const uint32_t low = config_read(sbdf, PCI_BAR0);
    const uint32_t high = !(low & BAR_IO) && (low & BAR_TYPE_MASK) == BAR_TYPE_64 ? config_read(sbdf, PCI_BAR0 + 4) : 0;

    bar->memory = !(low & BAR_IO);
    bar->at = bar->memory ? (uint64_t)high << 32 | (low & BAR_ADDRESS_MASK) : low & ~3u;
    if (bar->at == 0)
        return false;
    config_write(sbdf, PCI_COMMAND,
                 (config_read(sbdf, PCI_COMMAND) & COMMAND_WRITABLE) | (bar->memory ? COMMAND_MEMORY : COMMAND_IO));
    return true;
}

void pci_disable(const struct pci_function *function)
{
    uint32_t command = config_read(function->sbdf, PCI_COMMAND) & COMMAND_WRITABLE;

    config_write(function->sbdf, PCI_COMMAND, command & ~(COMMAND_MEMORY | COMMAND_BUS_MASTER));
}
