/*
 * Games with the machine at CPL 0, and at CPL 3 in vain: MSRs, control registers, debug registers and single steps, I/O
 * ports, the local APIC in both modes, page tables and large pages, PCIDs. Each has one thing changed at random, the
 * event that came of it added to the hash, and the thing put back. What docs/visible.md says to differ is left out, by
 * name, where it would be chosen.
 */
#include "games.h"

#define GAMES_OF_A_SEED 24u
#define SLOT 64u
#define RFLAGS_FIXED 2u

uint64_t games_hash;
bool games_print;
unsigned game_cpl;
uint64_t game_flags;
static uint32_t slot;

void games_add(const char *name, uint64_t value)
{
    games_hash = hash_add(games_hash, value);
    if (games_print)
        hex(name, value);
}

uint64_t game_play(const uint8_t *code, uint32_t bytes, bool see)
{
    struct random_state *s = &random_state;
    uint8_t *to = random_code + slot * SLOT;

    for (uint32_t i = 0; i < bytes; i++)
        to[i] = code[i];
    to[bytes] = 0xcd;
    to[bytes + 1] = VECTOR_END;
    s->rip = CODE_AT + slot * SLOT;
    s->cs = game_cpl ? CODE64_3 : CODE64;
    s->ss = s->ds = s->es = s->fs = s->gs = game_cpl ? DATA3 : DATA;
    s->rsp = DATA_AT + PAGE + 0x800;
    s->rflags = RFLAGS_FIXED | game_flags;
    slot = (slot + 1) % (PAGE / SLOT);
    random_enter();
    games_add(" vector ", s->vector << 32 | s->error);
    games_add(" at ", s->rip % SLOT);
    games_add(" flags ", s->rflags);
    if (see) {
        games_add(" rax ", s->r[RAX]);
        games_add(" rdx ", s->r[RDX]);
    }
    if (s->vector == 14)
        games_add(" cr2 ", s->cr2);
    if (s->vector == 1)
        games_add(" dr6 ", s->dr6);
    if (s->vector == 1)
        __asm__ volatile("movq %0, %%dr6" : : "r"(0xffff0ff0ull));
    return s->vector;
}

uint64_t cr0_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr0, %0" : "=r"(value));
    return value;
}

uint64_t cr4_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr4, %0" : "=r"(value));
    return value;
}

static void (*const games[])(void) = {game_msr,   game_msr,  game_control, game_control, game_debug,
                                      game_port,  game_port, game_apic,    game_table,   game_table,
                                      game_large, game_pcid, game_x2apic};

uint64_t games_run(uint32_t seed, bool print)
{
    random_sequence = (seed + 1) * 0x9e3779b97f4a7c15ull;
    games_hash = 0xcbf29ce484222325ull;
    games_print = print;
    space_reset_plain();
    games_table_prepare();
    for (uint32_t i = 0; i < GAMES_OF_A_SEED; i++) {
        for (uint32_t r = 0; r < 16; r++)
            random_state.r[r] = 0;
        game_cpl = below(8) ? 0 : 3;
        game_flags = 0;
        if (print)
            hex("\r\nrandom: event ", i);
        games[below(sizeof games / sizeof games[0])]();
    }
    return games_hash;
}
