/*
 * dma: QEMU's device "edu" copies memory on command. It may copy the guest's, and not the hypervisor's, which the E820
 * map has as reserved. Then a driver goes astray that gives the remapping unit tables of its own, of which the
 * hypervisor knows nothing: the device reaches no memory, until the unit is switched off for it.
 *
 * Source: QEMU, docs/specs/edu.rst; Intel VT-d 4.1, section 11.4.
 */
#include "machine.h"

#define EDU_ID 0x11e81234u
#define EDU_BUFFER 0x40000ull
#define TO_EDU 1ull /* commands: from memory, */
#define FROM_EDU 3ull
#define MIB2 (2ull << 20)
#define UNIT 0xfed90000ull
#define UNIT_GCMD 0x18u
#define UNIT_GSTS 0x1cu
#define UNIT_RTADDR 0x20u
#define UNIT_CCMD 0x28u
#define UNIT_IOTLB 0xf8u /* as QEMU's ECAP says */
#define PATIENCE 2000000u

static volatile uint8_t *edu;
static uint64_t no_tables[512] __attribute__((aligned(4096)));
static volatile uint64_t from, to;

static uint32_t config_read(uint32_t device, uint32_t offset)
{
    io_write32(0xcf8, 0x80000000u | device << 11 | offset);
    return io_read32(0xcfc);
}

static bool edu_find(void)
{
    for (uint32_t device = 0; device < 32; device++) {
        if (config_read(device, 0) != EDU_ID)
            continue;
        edu = (volatile uint8_t *)(uintptr_t)(config_read(device, 0x10) & ~15u);
        io_write32(0xcf8, 0x80000000u | device << 11 | 4);
        io_write32(0xcfc, 6); /* memory, bus master */
        return true;
    }
    return false;
}

static volatile uint64_t *edu_register(unsigned offset)
{
    return (volatile uint64_t *)(volatile void *)(edu + offset);
}

static void exits(void)
{
    uint32_t a = 0, c = 0;
    __asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "ebx", "edx");
}

/* 8 bytes; the device takes its time. */
static void copy(uint64_t source, uint64_t destination, uint64_t command)
{
    *edu_register(0x80) = source;
    *edu_register(0x88) = destination;
    *edu_register(0x90) = 8;
    *edu_register(0x98) = command;
    while (*edu_register(0x98) & 1)
        exits();
}

/* What arrives of what is at source: 1 all of it. */
static uint64_t arrives(uint64_t pattern)
{
    from = pattern;
    to = 0;
    copy((uint64_t)(uintptr_t)&from, EDU_BUFFER, TO_EDU);
    copy(EDU_BUFFER, (uint64_t)(uintptr_t)&to, FROM_EDU);
    return to == pattern;
}

/* boot_params.e820_entries at 1e8H, e820_table at 2d0H, of 20 bytes each. The lowest that is reserved in units of 2 MiB
 * is the hypervisor's. */
static uint64_t find_hypervisor(const uint8_t *boot_params)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < boot_params[0x1e8]; i++) {
        uint64_t start, size;
        uint32_t type;
        __builtin_memcpy(&start, boot_params + 0x2d0 + 20 * i, 8);
        __builtin_memcpy(&size, boot_params + 0x2d0 + 20 * i + 8, 8);
        __builtin_memcpy(&type, boot_params + 0x2d0 + 20 * i + 16, 4);
        if (type == 2 && start % MIB2 == 0 && size % MIB2 == 0 && start && (!found || start < found))
            found = start;
    }
    return found;
}

static volatile uint32_t *unit_register(unsigned offset)
{
    return (volatile uint32_t *)(uintptr_t)(UNIT + offset);
}

static void tables_astray(void)
{
    *unit_register(UNIT_RTADDR) = (uint32_t)(uintptr_t)no_tables;
    *unit_register(UNIT_RTADDR + 4) = 0;
    *unit_register(UNIT_GCMD) = 0xc0000000; /* translation on, and these tables */
    *unit_register(UNIT_CCMD) = 0;
    *unit_register(UNIT_CCMD + 4) = 0xa0000000; /* all contexts are forgotten, */
    *unit_register(UNIT_IOTLB) = 0;
    *unit_register(UNIT_IOTLB + 4) = 0x90000000; /* and all translations */
}

/* The command line "look": what ECAM shows of the host bridge, and of the network card that the I/O ports show. */
static void look(void)
{
    const volatile uint8_t *ecam = (const volatile uint8_t *)(uintptr_t)0xb0000000;
    for (uint32_t device = 0; device < 32; device++) {
        const uint32_t id = config_read(device, 0);
        const uint32_t seen = *(const volatile uint32_t *)(const volatile void *)(ecam + (device << 15));
        if (device == 0)
            console_line("dma: ECAM shows the host bridge", seen == id);
        else if (id == 0x100e8086)
            console_line("dma: ECAM shows the card", seen != 0xffffffff);
    }
}

void guest_main(const uint8_t *boot_params)
{
    uint32_t line;
    machine_start(boot_params);
    __builtin_memcpy(&line, boot_params + 0x228, 4);
    if (*(const char *)(uintptr_t)line == 'l') {
        look();
        console_text("dma: ok\r\n");
        return;
    }
    const uint64_t theirs = find_hypervisor(boot_params);
    if (!edu_find() || !theirs) {
        console_text("dma: no device edu, or no hypervisor\r\n");
        return;
    }
    console_line("dma: copied", arrives(0x1122334455667788));
    for (unsigned i = 0; i < 20; i++)
        copy(EDU_BUFFER, theirs + 4096 * i, FROM_EDU);
    console_line("dma: copied after that", arrives(0x99aabbccddeeff00));
    tables_astray();
    console_line("dma: copied by tables astray", arrives(0x5555aaaa5555aaaa));
    for (unsigned i = 0; i < PATIENCE && *unit_register(UNIT_GSTS) >> 31; i++)
        exits();
    console_line("dma: the unit is on", *unit_register(UNIT_GSTS) >> 31);
    console_line("dma: copied without a unit", arrives(0x0123456789abcdef));
    console_text("dma: ok\r\n");
}
