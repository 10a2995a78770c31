/*
 * smi: system-management interrupts (SMIs) whose handler takes a known time. It prints how many ticks of the TSC each
 * takes, with the instructions around it: "smi: N" lines.
 *
 * Hardware guarantees that the processor leaves system-management mode by RSM to where the SMI came, and that the TSC
 * continues meanwhile. SDM Volume 3, "System Management Mode". The chipset, an i440FX with a PIIX4, makes an SMI of a
 * write to port B2H, and shows SMRAM where the firmware has put SMBASE, A0000H, while D_OPEN of SMRAMC is set.
 */
#include "machine.h"

#define PCI_ADDRESS 0xcf8u
#define PCI_DATA 0xcfcu
#define SMRAMC 0x80000070u /* of the host bridge: register 72H is in this word */
#define SMRAM_OPEN 0x4au
#define SMRAM_CLOSED 0x0au
#define DEVACTB 0x80000b58u /* of the PIIX4's power management */
#define APMC_SMI 0x02000000u
#define HANDLER 0xa8000u
#define APM_PORT 0xb2u

static void smram(uint8_t control)
{
    io_write32(PCI_ADDRESS, SMRAMC);
    io_write8(PCI_DATA + 2, control);
}

/* mov ecx, rounds; dec ecx; jnz; rsm: in the 16-bit mode in which the handler begins. It writes over the firmware's. */
static void set_handler(uint32_t rounds)
{
    const uint8_t code[] = {0x66,
                            0xb9,
                            (uint8_t)rounds,
                            (uint8_t)(rounds >> 8),
                            (uint8_t)(rounds >> 16),
                            (uint8_t)(rounds >> 24),
                            0x66,
                            0x49,
                            0x75,
                            0xfc,
                            0x0f,
                            0xaa};
    smram(SMRAM_OPEN);
    for (size_t i = 0; i < sizeof(code); i++)
        ((volatile uint8_t *)(uintptr_t)HANDLER)[i] = code[i];
    smram(SMRAM_CLOSED);
}

/* Under a hypervisor CPUID exits, and at the VM entry PT writes the time. */
static uint64_t ticks(void)
{
    uint32_t leaf = 0, low, high;
    __asm__ volatile("cpuid" : "+a"(leaf) : : "ebx", "ecx", "edx", "memory");
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

void guest_main(const uint8_t *boot_params)
{
    static const uint32_t rounds[] = {1000, 100000, 20, 200000, 50000};
    machine_start(boot_params);
    io_write32(PCI_ADDRESS, DEVACTB);
    io_write32(PCI_DATA, io_read32(PCI_DATA) | APMC_SMI);
    for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
        set_handler(rounds[i]);
        const uint64_t before = ticks();
        io_write8(APM_PORT, 0x5a);
        console_line("smi:", ticks() - before);
    }
    console_text("smi: ok\r\n");
}
