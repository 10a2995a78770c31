/* Page tables: random bits of entries at each level, aliases, reserved address bits, addresses above all memory; reads,
 * writes and fetches through them; code that is written by one alias and executed by another. */
#include "games.h"

#define P 1ull
#define RW 2ull
#define US 4ull
#define NX (1ull << 63)
#define NR_PAGES GAMES_PAGES

uint64_t games_directories[3][512] __attribute__((aligned(PAGE)));
static uint8_t pages[NR_PAGES][PAGE] __attribute__((aligned(PAGE)));

static uint64_t physical(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

uint64_t games_page(uint32_t page)
{
    return physical(pages[page]);
}

/* MOV EAX, number; INT 81H */
static void code_put(uint8_t *to, uint8_t number)
{
    const uint8_t code[] = {0xb8, number, 0, 0, 0, 0xcd, VECTOR_END};

    for (uint32_t i = 0; i < sizeof code; i++)
        ((volatile uint8_t *)to)[i] = code[i];
}

void games_table_prepare(void)
{
    uint64_t *pml4 = (uint64_t *)(uintptr_t)random_state.cr3, own;

    __asm__ volatile("movq %%cr3, %0" : "=r"(own));
    *(uint64_t *)(uintptr_t)own &= ~US; /* CR4.SMEP and SMAP may be set */

    pml4[GAMES_AT >> 39] = physical(games_directories[0]) | P | RW | US;
    games_directories[0][0] = physical(games_directories[1]) | P | RW | US;
    games_directories[1][0] = physical(games_directories[2]) | P | RW | US;
    for (uint32_t i = 0; i < 2 * NR_PAGES; i++) /* each page twice */
        games_directories[2][i] = physical(pages[i % NR_PAGES]) | P | RW | US;
    for (uint32_t i = 0; i < NR_PAGES; i++)
        code_put(pages[i] + 64 * i, (uint8_t)(0x10 + i));
}

/* Not: bits of the address that lead into other memory or to devices. */
static uint64_t entry_flip(uint64_t entry)
{
    static const uint8_t bits[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 11, 63, 62, 52, 51, 50, 48, 46, 45, 40, 39, 36, 34};

    for (uint32_t n = 1 + below(2); n > 0; n--)
        entry ^= 1ull << bits[below(sizeof bits)];
    return entry;
}

void game_access(uint64_t at)
{
    struct random_state *s = &random_state;

    s->r[RBX] = at;
    s->r[RAX] = random64();
    switch (below(5)) {
    case 0:
        PLAY(true, 0x8a, 0x03); /* MOV AL, [RBX] */
        break;
    case 1:
        s->r[RBX] |= 0xf00;
        PLAY(false, 0x88, 0x03);
        break;
    case 2:
        s->r[RBX] |= 0xffe;     /* two pages */
        PLAY(true, 0x87, 0x03); /* XCHG EAX, [RBX] */
        break;
    default:
        PLAY(true, 0xff, 0xe3); /* JMP RBX */
    }
}

void games_pages_hash(void)
{
    for (uint32_t i = 0; i < NR_PAGES; i++)
        games_hash = hash_add(games_hash, *(const uint64_t *)(const void *)(pages[i] + 64 * i));
}

void game_table(void)
{
    const uint32_t level = below(3), page = below(2 * NR_PAGES - 1);
    uint64_t *entry = &games_directories[level][level == 2 ? page : 0], old = *entry;
    uint64_t at = GAMES_AT + page * PAGE + 64 * (page % NR_PAGES);

    switch (below(4)) {
    case 0: /* write code by an alias: the processor's, or this space's */
        code_put(pages[page % NR_PAGES] + 64 * (page % NR_PAGES), (uint8_t)random64());
        break;
    case 1:
        random_state.r[RAX] = random64();
        random_state.r[RBX] = at + 1;
        PLAY(false, 0x88, 0x03);
        break;
    case 2:
        if (below(2)) {
            at ^= 1ull << (47 + below(17)); /* not canonical, or not mapped */
            break;
        }
        __attribute__((fallthrough));
    default:
        *entry = entry_flip(old);
    }
    games_add(" level ", level);
    games_add(" entry ", *entry - old);
    __asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
    game_access(at);
    if (below(2))
        game_access(at);
    games_add(" is ", *entry - old);
    *entry = old & ~0x60ull;
    games_pages_hash();
    code_put(pages[page % NR_PAGES] + 64 * (page % NR_PAGES), (uint8_t)(0x10 + page % NR_PAGES));
}
