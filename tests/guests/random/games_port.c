/* I/O ports, watched and others, and the local APIC. */
#include "games.h"

#include "machine.h"

/* Reads: what does not count. Of PCI only the host bridge, since the channel's card is hidden (visible). */
static uint16_t port_choose(bool write)
{
    static const uint16_t reads[] = {0xcf8, 0xcf8, 0xcf9, 0xcfa, 0xcfb, 0xcfc, 0xcfd,       0xcfe,
                                     0xcf6, 0xcf7, 0x80,  0x21,  0xa1,  0x92,  0x61 + 0x100};
    static const uint16_t writes[] = {0xcf8, 0xcf8, 0xcf8, 0xcfa, 0xcfb, 0x80, 0x81, 0xcf6, 0xcf5, 0x84};

    return write ? writes[below(sizeof writes / 2)] : reads[below(sizeof reads / 2)];
}

/* Of CONFIG_ADDRESS the bridge's registers, or disabled: no value that resets the machine at 0CF9H. */
static uint32_t config_address(void)
{
    return (below(4) ? 0x80000000u : 0) | below(64) << 2;
}

/* INS and OUTS, also across pages and with a fault in the middle, in both directions. */
static void strings(void)
{
    const bool write = below(2), rep = below(2);
    const uint8_t opcode = (uint8_t)(0x6cu + 2u * write + below(2)), address = below(4) ? 0x90 : 0x67;
    const uint8_t prefix = rep ? 0xf3 : 0x90, size = below(2) ? 0x66 : 0x90;
    struct random_state *s = &random_state;
    uint32_t *data = (uint32_t *)(void *)(random_data + PAGE - 64);

    for (uint32_t i = 0; i < 32; i++)
        data[i] = config_address();
    s->r[RSI] = s->r[RDI] = DATA_AT + (below(3) ? 1u : 2u) * PAGE - 64 + 4 * below(20);
    if (below(8) == 0)
        s->r[RSI] = s->r[RDI] = 0xffff800000000000ull - below(8);
    s->r[RCX] = below(12) | (below(8) ? 0 : 1ull << 40) * (address == 0x67);
    if (address == 0x67 && (uint32_t)s->r[RCX] == 0) /* what becomes of the upper halves then is the CPU's own affair */
        s->r[RCX]++;
    s->r[RDX] = write ? (below(3) ? 0x80 : 0xcf8) : port_choose(false);
    game_flags = (below(3) ? 0 : 0x400) | (below(8) ? 0 : 0x100); /* DF, TF */
    games_add(" string ", opcode);
    games_add(" port ", s->r[RDX]);
    games_add(" prefixes ", (uint64_t)prefix << 16 | (uint64_t)size << 8 | address);
    if (write && s->r[RDX] == 0xcf8) /* whole doublewords only */
        PLAY(false, address, prefix, 0x6f);
    else
        PLAY(false, address, size, prefix, opcode);
    games_add(" rsi ", s->r[RSI]);
    games_add(" rdi ", s->r[RDI]);
    games_add(" rcx ", s->r[RCX]);
    for (uint32_t i = 0; i < 32; i++)
        games_hash = hash_add(games_hash, data[i]);
}

void game_port(void)
{
    struct random_state *s = &random_state;

    io_write32(0xcf8, config_address());
    if (below(2)) {
        strings();
        return;
    }
    const bool write = below(2);
    const uint32_t size = below(3);

    s->r[RDX] = port_choose(write);
    s->r[RAX] = random64();
    if (s->r[RDX] == 0xcf8 && size == 2)
        s->r[RAX] = config_address();
    else if (write && s->r[RDX] >= 0xcf5 && s->r[RDX] <= 0xcfb)
        s->r[RAX] &= 0x00fb00fbfbfbfbfbull & (s->r[RDX] == 0xcf8 || s->r[RDX] == 0xcf6 ? 0xf8f8f8f8u : 0xfbfbfbfbu);
    games_add(" port ", s->r[RDX]);
    games_add(" value ", s->r[RAX]);
    if (size == 1)
        PLAY(!write, 0x66, write ? 0xef : 0xed);
    else
        PLAY(!write, (uint8_t)((write ? 0xee : 0xec) + (size == 2)));
    games_add(" address ", io_read32(0xcf8));
}

/* Registers that do not count; not LVTPC, SVR.8 and ICR, which differ (visible) after writes by root. */
void game_apic(void)
{
    static const uint16_t reads[] = {0x20,  0x30,  0x80,  0x90,  0xa0,  0xd0,  0xe0,  0x100, 0x110, 0x180, 0x200,
                                     0x280, 0x320, 0x350, 0x360, 0x370, 0x380, 0x3e0, 0x3f0, 0x40,  0x400};
    static const uint16_t writes[] = {0x80,  0xb0,  0xd0, 0xe0, 0x280, 0x350, 0x360,
                                      0x370, 0x3e0, 0x20, 0x30, 0x100, 0x40};
    const uint32_t at = below(2) ? reads[below(sizeof reads / 2)] : writes[below(sizeof writes / 2)];
    uint32_t value;

    switch (below(3)) {
    case 0: /* an interrupt to this CPU */
        value = 0x20 + below(0x60);
        games_add(" self ", value);
        APIC(0x300) = 0x40000 | value;
        game_flags = 0x200; /* IF */
        game_cpl = 0;
        for (uint32_t i = 0; i < 2; i++)
            if (PLAY(false, 0x90, 0x90, 0x90, 0x90) == value)
                APIC(0xb0) = 0;
        break;
    case 1:
        games_add(" apic ", at);
        games_add(" is ", APIC(at));
        break;
    default:
        value = writes[below(sizeof writes / 2)];
        games_add(" apic ", value);
        const uint32_t old = APIC(value);
        APIC(value) = value >= 0x350 && value <= 0x370 ? (uint32_t)random64() | 0x10000 : (uint32_t)random64();
        games_add(" becomes ", value == 0xb0 || value == 0x280 ? 0 : APIC(value));
        APIC(value) = old;
        APIC(0x280) = 0;
        games_add(" errors ", APIC(0x280));
    }
    APIC(0x80) = 0;
}
