/* IA32_APIC_BASE: from xAPIC to x2APIC mode and back, with transitions that do not exist; and the registers that x2APIC
 * mode has as MSRs. The base stays: hostile.c moves it. Source: SDM Vol. 3A, "x2APIC State Transitions". */
#include "games.h"

#include "machine.h"

#define APIC_BASE 0x1bu
#define EN_EXTD 0xc00ull
#define EN 0x800ull
#define BSP 0x100ull

static uint64_t read(uint32_t msr)
{
    random_state.r[RCX] = msr;
    return PLAY(true, 0x0f, 0x32);
}

static void write(uint32_t msr, uint64_t value)
{
    random_state.r[RCX] = msr;
    random_state.r[RAX] = (uint32_t)value;
    random_state.r[RDX] = value >> 32;
    games_add(" msr ", msr);
    games_add(" becomes ", value);
    PLAY(false, 0x0f, 0x30);
}

/* Not LVTPC, SVR and ICR (visible), nor what counts. */
static void register_play(void)
{
    static const uint16_t numbers[] = {0x800, 0x801, 0x802, 0x803, 0x804, 0x808, 0x80a, 0x80b, 0x80d,
                                       0x80e, 0x810, 0x817, 0x818, 0x820, 0x828, 0x82f, 0x831, 0x832,
                                       0x835, 0x838, 0x83e, 0x83f, 0x840, 0x880, 0x8ff};
    const uint32_t msr = numbers[below(sizeof numbers / 2)];

    if (below(3)) {
        games_add(" msr ", msr);
        read(msr);
    } else if (msr == 0x82f || msr == 0x832 || msr == 0x835) { /* masked: SVR.8 differs */
        write(msr, (random64() & 0xff) | 0x10000);
    } else if (msr != 0x83f && msr != 0x838) { /* no interrupt, and none of the timer's */
        write(msr, below(2) ? 0 : random64() >> below(64));
        read(msr);
    }
}

void game_x2apic(void)
{
    const uint64_t base = msr_get(APIC_BASE);

    for (uint32_t n = 1 + below(4); n > 0; n--) {
        game_cpl = below(8) ? 0 : 3;
        write(APIC_BASE, (base & ~EN_EXTD) | below(4) << 10 | (below(8) ? 0 : below(2) ? BSP : 1ull << below(8)));
        read(APIC_BASE);
        for (uint32_t m = below(3); m > 0; m--)
            register_play();
    }
    msr_set(APIC_BASE, base & ~EN_EXTD);
    msr_set(APIC_BASE, (base & ~EN_EXTD) | EN);
}
