/*
 * maps: a disk, for pages that a device fills and no CPU. An IDE disk on the second channel, by the chipset's bus
 * master.
 *
 * Source: ATA/ATAPI-6 "READ DMA", "WRITE DMA"; "Programming Interface for Bus Master IDE Controller" 1.0.
 */
#include "maps.h"

#define PCI_ADDRESS 0xcf8
#define PCI_DATA 0xcfc
#define IDE 0x80000900u /* bus 0, device 1, function 1 */
#define IDE_COMMAND 0x04u
#define IDE_BAR4 0x20u
#define BUS_MASTER_AND_IO 0x5u

#define TASK 0x170 /* the second channel's task file */
#define SECTORS_COUNT (TASK + 2)
#define LBA (TASK + 3)
#define DEVICE (TASK + 6)
#define COMMAND (TASK + 7)
#define CONTROL 0x376
#define NO_INTERRUPTS 0x2
#define DEVICE_LBA 0xe0
#define READ_DMA 0xc8
#define WRITE_DMA 0xca
#define BUSY_OR_REQUEST 0x88
#define FAILED 0x21

#define CHANNEL 8 /* the second channel's registers in BAR4's */
#define START 0x1
#define TO_MEMORY 0x8
#define ACTIVE_OR_FAILED 0x3
#define CLEAR_STATUS 0x66

#define SECTORS 8u /* a page */

/* A physical region descriptor; the table has one. */
static struct {
    uint32_t address;
    uint16_t bytes, flags;
} table __attribute__((aligned(8)));

static uint16_t bus_master(void)
{
    io_write32(PCI_ADDRESS, IDE | IDE_COMMAND);
    io_write32(PCI_DATA, io_read32(PCI_DATA) | BUS_MASTER_AND_IO);
    io_write32(PCI_ADDRESS, IDE | IDE_BAR4);
    return (uint16_t)((io_read32(PCI_DATA) & 0xfff0) + CHANNEL);
}

static void transfer(uint32_t page, uint64_t address, uint8_t command)
{
    const uint16_t port = bus_master();
    const uint8_t direction = command == READ_DMA ? TO_MEMORY : 0;
    table.address = (uint32_t)address;
    table.bytes = PAGE;
    table.flags = 0x8000; /* the last one */
    io_write8(port, direction);
    io_write8((uint16_t)(port + 2), CLEAR_STATUS);
    io_write32((uint16_t)(port + 4), (uint32_t)physical(&table));
    io_write8(CONTROL, NO_INTERRUPTS);
    io_write8(DEVICE, DEVICE_LBA);
    io_write8(SECTORS_COUNT, SECTORS);
    io_write8(LBA, (uint8_t)(page * SECTORS));
    io_write8(LBA + 1, 0);
    io_write8(LBA + 2, 0);
    io_write8(COMMAND, command);
    io_write8(port, direction | START);
    while ((io_read8((uint16_t)(port + 2)) & ACTIVE_OR_FAILED) == 1)
        __asm__ volatile("pause");
    while (io_read8(COMMAND) & BUSY_OR_REQUEST)
        __asm__ volatile("pause");
    io_write8(port, 0);
    expect("maps: the disk's errors", io_read8(COMMAND) & FAILED, 0);
}

void disk_write(uint32_t page, const void *memory)
{
    transfer(page, physical(memory), WRITE_DMA);
}

void disk_read(uint32_t page, void *memory)
{
    transfer(page, physical(memory), READ_DMA);
}
