/* probe: the local APIC, ports, and memory that is not the guest's. */
#include "probe.h"

/* --- the local APIC --- */

static void apic(void)
{
    static const uint32_t registers[] = {0x20,  0x30,  0x80,  0xa0,  0xd0,  0xe0,  0xf0,
                                         0x280, 0x320, 0x330, 0x350, 0x360, 0x370, 0x3e0};
    for (uint64_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        say2("apic", registers[i], APIC(registers[i]));
    APIC(0x340) = 0x100ec;
    say("apic_lvtpc", APIC(0x340));
    APIC(0x80) = 0x20;
    say("apic_tpr", APIC(0x80));
    __asm__ volatile("orl $0x10, %0" : "+m"(APIC(0x80)));
    say("apic_tpr_or", APIC(0x80));
    uint32_t exchanged = 0x40;
    __asm__ volatile("xchgl %0, %1" : "+r"(exchanged), "+m"(APIC(0x80)));
    say("apic_tpr_xchg", exchanged);
    say("apic_tpr_after", APIC(0x80));
    static const uint32_t source = 0x50;
    const uint32_t *from = &source;
    volatile uint32_t *to = &APIC(0x80);
    uint64_t count = 1;
    __asm__ volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    say("apic_rep_movs_left", count);
    say("apic_tpr_rep_movs", APIC(0x80));
    APIC(0x80) = 0;
    say("apic_tpr_at_end", APIC(0x80));
    uint32_t svr = APIC(0xf0);
    APIC(0xf0) = 0xff;
    say("apic_svr_disabled", APIC(0xf0));
    say("apic_lvt_timer_disabled", APIC(0x320));
    APIC(0xf0) = svr;
    say("apic_svr_enabled", APIC(0xf0));
}

/* x2APIC mode; there is no way back but through a disabled local APIC, so this comes last. */
static void x2apic(void)
{
    uint64_t base = msr_get(0x1b), before = nmis;
    wrmsr("x2apic_base_reserved", 0x1b, base | 1);
    wrmsr("x2apic_enable", 0x1b, base | 0x400);
    say("x2apic_base", msr_get(0x1b));
    say("x2apic_id", msr_get(0x802));
    wrmsr("x2apic_lvtpc", 0x834, 0x100ec);
    say("x2apic_lvtpc_reads", msr_get(0x834));
    wrmsr("x2apic_svr_reserved", 0x80f, 1ull << 40);
    wrmsr("x2apic_svr_disable", 0x80f, 0xff);
    say("x2apic_svr_disabled", msr_get(0x80f));
    wrmsr("x2apic_svr_enable", 0x80f, 0x1ff);
    say("x2apic_svr", msr_get(0x80f));
    wrmsr("x2apic_nmi", 0x830, msr_get(0x802) << 32 | ICR_NMI);
    for (int i = 0; i < 100; i++)
        (void)cpuid(0, 0);
    say("x2apic_nmis", nmis - before);
}

/* --- memory that is not the guest's --- */

static void memory(const char *name, uint64_t at)
{
    volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)at;
    say2(name, 0, *word);
    *word = 0x12345678;
    say2(name, 1, *word);
    __asm__ volatile("lock orl $1, %0" : "+m"(*word));
    say2(name, 2, *word);
}

/* Linux boot protocol: boot_params.e820_entries at 1E8H, .e820_table at 2D0H, 20 bytes each. */
static void memories(const uint8_t *boot_params)
{
    for (unsigned i = 0; i < boot_params[0x1e8]; i++) {
        const uint32_t *entry = (const uint32_t *)(const void *)(boot_params + 0x2d0 + 20 * i);
        if (entry[4] == 2 && entry[1] == 0 && entry[0] >= 0x1000000 && entry[0] < 0xc0000000)
            memory("reserved", entry[0]);
    }
    memory("nic", 0xc0000000);
}

/* --- ports --- */

static uint32_t in32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static void ports(void)
{
    for (uint32_t device = 0; device < 32; device++) {
        uint32_t address = 0x80000000u | device << 11;
        out32(0xcf8, address);
        say2("pci", device, in32(0xcfc));
        say2("pci_address_reads_back", device, in32(0xcf8) == address);
        out32(0xcf8, address | 0x10);
        say2("pci_bar0", device, in32(0xcfc));
    }
    uint64_t rax = 0x1122334455667788ull;
    __asm__ volatile("inb $0x64, %%al" : "+a"(rax));
    say("in_al_keeps_the_rest", rax & ~0xffull);
    rax = 0x1122334455667788ull;
    __asm__ volatile("inl %%dx, %%eax" : "+a"(rax) : "d"(0xcf8));
    say("in_eax_clears_the_rest", rax >> 32);
    io_write8(0xcf9, 2);
    say("reset_control", io_read8(0xcf9));
    io_write8(0xcf9, 0);
    for (uint16_t i = 1; i < 8; i++) /* not the data register */
        say2("com2", i, io_read8((uint16_t)(0x2f8 + i)));
}
void probe_devices(const uint8_t *boot_params)
{
    apic();
    ports();
    memories(boot_params);
    x2apic();
}
