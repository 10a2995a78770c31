/* Control and debug registers, XCR0. */
#include "games.h"

#define CR0_PE_PG 0x80000001ull
#define CR0_NE 0x20ull
#define CR4_VMXE_SMXE 0x6000ull /* VMX and SMX are hidden (visible) */
#define CR4_OSXSAVE (1ull << 18)
#define MODRM_REG(number) (0xc0 | (number) << 3)

static uint64_t flip(uint64_t value, uint32_t bits)
{
    for (uint32_t n = 1 + below(3); n > 0; n--)
        value ^= 1ull << below(bits);
    return value;
}

static void cr_put_back(uint64_t cr0, uint64_t cr4)
{
    __asm__ volatile("movq %0, %%cr4\n\tmovq %1, %%cr0" : : "r"(cr4), "r"(cr0));
}

static void xcr0(void)
{
    const uint64_t cr4 = cr4_get();

    if (below(8))
        __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE));
    random_state.r[RCX] = below(6) ? 0 : below(3);
    random_state.r[RAX] = below(2) ? below(1024) : 1 | 6 * below(2) | 0xe0 * below(2);
    random_state.r[RDX] = below(8) ? 0 : flip(0, 32);
    games_add(" xcr ", random_state.r[RCX]);
    games_add(" edx ", random_state.r[RDX]);
    games_add(" eax ", random_state.r[RAX]);
    PLAY(false, 0x0f, 0x01, 0xd1); /* XSETBV */
    random_state.r[RCX] = 0;
    PLAY(true, 0x0f, 0x01, 0xd0); /* XGETBV */
    game_cpl = 0;
    random_state.r[RCX] = random_state.r[RDX] = 0;
    random_state.r[RAX] = 1;
    PLAY(false, 0x0f, 0x01, 0xd1);
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4));
}

void game_control(void)
{
    const uint64_t cr0 = cr0_get(), cr4 = cr4_get();
    const uint8_t write = 0x22, read = 0x20;

    switch (below(6)) {
    case 0:
    case 1:
        random_state.r[RAX] = flip(cr0, below(4) ? 32 : 64) ^ (below(3) ? 0 : CR0_NE);
        games_add(" cr0 ", random_state.r[RAX]);
        PLAY(false, 0x0f, write, MODRM_REG(0), 0x0f, read, MODRM_REG(0));
        PLAY(true, 0x0f, read, MODRM_REG(0));
        break;
    case 2:
        random_state.r[RAX] = flip(cr4, below(4) ? 25 : 64) & ~CR4_VMXE_SMXE;
        games_add(" cr4 ", random_state.r[RAX]);
        PLAY(false, 0x0f, write, MODRM_REG(4), 0x0f, read, MODRM_REG(4));
        PLAY(true, 0x0f, read, MODRM_REG(4));
        break;
    case 3: /* bits that do not move it: PWT, PCD, ignored ones, and reserved ones above all physical addresses */
        random_state.r[RAX] = random_state.cr3 | (below(2) ? below(4096) : 1ull << (48 + below(16)));
        games_add(" cr3 ", random_state.r[RAX]);
        PLAY(false, 0x0f, write, MODRM_REG(3));
        PLAY(true, 0x0f, read, MODRM_REG(3));
        break;
    case 4:
        random_state.r[RAX] = below(3) ? below(16) : flip(0, 64);
        games_add(" cr8 ", random_state.r[RAX]);
        PLAY(false, 0x44, 0x0f, write, MODRM_REG(0));
        PLAY(true, 0x44, 0x0f, read, MODRM_REG(0));
        __asm__ volatile("movq %0, %%cr8" : : "r"(0ull));
        break;
    default:
        xcr0();
    }
    switch (below(4)) {
    case 0:
        random_state.r[RAX] = below(16);
        PLAY(false, 0x0f, 0x01, 0xf0); /* LMSW AX */
        break;
    case 1:
        PLAY(true, 0x0f, 0x01, 0xe0); /* SMSW EAX */
        break;
    case 2:
        PLAY(false, 0x0f, 0x06); /* CLTS */
        break;
    }
    cr_put_back(cr0, cr4);
}

/* Breakpoints on the data that the code reads and on the code itself, single steps, ICEBP, debug-register accesses. */
void game_debug(void)
{
    const uint64_t cr4 = cr4_get();
    struct random_state *s = &random_state;

    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t at = DATA_AT + below(32);
        __asm__ volatile("movq %0, %%dr0\n\tmovq %1, %%dr1" : : "r"(at), "r"(at + 4 * i));
    }
    s->r[RAX] = (random64() & 0xffff0000) | (below(2) ? 0x400 : flip(0x400, 16));
    s->r[RAX] &= below(4) ? ~0x2000ull : ~0ull; /* GD */
    s->r[RAX] |= 5; /* L0, L1: Bochs delivers one that was met but is not enabled, if there is a VM exit after it */
    games_add(" dr7 ", s->r[RAX]);
    s->r[RSI] = s->r[RDI] = DATA_AT + below(32);
    s->r[RBX] = DATA_AT + below(32);
    game_flags = below(2) ? 0x100 : 0; /* TF */
    game_flags |= below(4) ? 0 : 0x10000;
    const unsigned cpl = game_cpl;
    game_cpl = 0;
    PLAY(false, 0x0f, 0x23, MODRM_REG(7)); /* MOV DR7, RAX */
    game_cpl = cpl;
    s->r[RCX] = 2;
    switch (below(8)) {
    case 0:
        PLAY(false, 0xf3, 0xa4, 0x90); /* REP MOVSB */
        break;
    case 1:
        PLAY(false, 0x48, 0x8b, 0x03, 0x90); /* MOV RAX, [RBX] */
        break;
    case 2:
        PLAY(false, 0x48, 0x89, 0x03, 0x90);
        break;
    case 3:
        PLAY(false, 0xf1, 0x90); /* INT1 */
        break;
    case 4:
        PLAY(true, 0x0f, 0x21, MODRM_REG(6)); /* MOV RAX, DR6 */
        break;
    case 5:
        PLAY(true, 0x0f, 0x21, MODRM_REG(4)); /* DR4 */
        break;
    case 6: /* MOV SS, CX delays */
        s->r[RCX] = cpl ? DATA3 : DATA;
        PLAY(false, 0x8e, 0xd1, 0xf1, 0x90);
        break;
    default:
        PLAY(false, 0x0f, 0x01, 0xd9, 0x90); /* VMMCALL: of AMD */
    }
    /* GD is cleared by its #DB, and else here. */
    game_cpl = 0;
    game_flags = 0;
    for (uint32_t i = 0; i < 2; i++) {
        s->r[RAX] = 0x400;
        PLAY(false, 0x0f, 0x23, MODRM_REG(7));
    }
    __asm__ volatile("movq %0, %%cr4\n\tmovq %1, %%dr6" : : "r"(cr4), "r"(0xffff0ff0ull));
}
