/* Large pages with random bits, also reserved ones, in place of page tables; process-context identifiers: CR4.PCIDE,
 * MOV CR3 with and without bit 63, INVPCID of all types with descriptors that are and are not valid. */
#include "games.h"

#define P 1ull
#define RW 2ull
#define US 4ull
#define PS 0x80ull
#define CR3_KEEP (1ull << 63)
#define CR4_PCIDE (1ull << 17)
#define LARGE_SIZE 0x200000ull
#define NR_WHOLE_PAGES (GAMES_PAGES - 1u) /* an access across two pages stays in them */

/* Not: bits of the address that lead into other memory. */
static uint64_t large_entry(uint64_t address, uint64_t size)
{
    static const uint8_t bits[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 20, 63, 62, 52, 51, 50, 46, 40};
    uint64_t entry = (address & ~(size - 1)) | P | RW | US | PS;

    for (uint32_t n = below(3); n > 0; n--)
        entry ^= 1ull << bits[below(sizeof bits)];
    return entry;
}

/* The pages of games_table.c by a large page beside their page table, or by a page of 1 GByte. */
void game_large(void)
{
    const uint32_t page = below(NR_WHOLE_PAGES), level = below(2);
    const uint64_t size = level ? LARGE_SIZE : 512 * LARGE_SIZE, to = games_page(page);
    uint64_t *entry = &games_directories[level][1];

    *entry = large_entry(to, size);
    games_add(" large ", size | (*entry & 0xfff) | (*entry & 0xffff000000000000ull));
    for (uint32_t n = 1 + below(3); n > 0; n--) {
        const uint64_t at = below(4) ? GAMES_AT + size + (to & (size - 1)) : GAMES_AT + page * PAGE;

        if (below(4) == 0)
            *entry = large_entry(to, size);
        /* Not by MOV CR3: global translations would stay, but for VM exits. */
        __asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
        game_access(at + 64 * page);
    }
    games_add(" is ", *entry & 0xfff);
    *entry = 0;
    __asm__ volatile("invlpg (%0)" : : "r"(GAMES_AT + size) : "memory");
    games_pages_hash();
}

static void invpcid(void)
{
    uint64_t *descriptor = (uint64_t *)(void *)random_data;
    const uint64_t old[] = {descriptor[0], descriptor[1]};

    descriptor[0] = below(4) ? below(4096) : random64();
    descriptor[1] = below(4) ? GAMES_AT + below(8) * PAGE : random64();
    random_state.r[RBX] = DATA_AT;
    random_state.r[RAX] = below(8) ? below(5) : random64();
    games_add(" invpcid ", random_state.r[RAX]);
    games_add(" descriptor ", descriptor[0]);
    games_add(" address ", descriptor[1]);
    PLAY(false, 0x66, 0x0f, 0x38, 0x82, 0x03); /* INVPCID RAX, [RBX] */
    descriptor[0] = old[0];
    descriptor[1] = old[1];
}

/* MOV CR3 and back; without CR4.PCIDE its lower bits are flags, and bit 63 is reserved. */
static void cr3_load(void)
{
    random_state.r[RAX] = random_state.cr3 | below(4096) | (below(2) ? CR3_KEEP : 0);
    games_add(" cr3 ", random_state.r[RAX] - random_state.cr3);
    PLAY(false, 0x0f, 0x22, 0xd8);            /* MOV CR3, RAX */
    PLAY(true, 0x0f, 0x20, 0xd8, 0x8a, 0x03); /* MOV RAX, CR3; MOV AL, [RBX] */
}

void game_pcid(void)
{
    const uint64_t cr4 = cr4_get();

    if (below(8)) {
        game_cpl = 0;
        random_state.r[RAX] = cr4 | CR4_PCIDE;
        PLAY(false, 0x0f, 0x22, 0xe0); /* MOV CR4, RAX */
        games_add(" cr4 ", cr4_get());
    }
    for (uint32_t n = 1 + below(4); n > 0; n--) {
        random_state.r[RBX] = DATA_AT;
        game_cpl = below(8) ? 0 : 3;
        below(2) ? invpcid() : cr3_load();
    }
    __asm__ volatile("movq %%cr3, %%rax\n\tandq $-4096, %%rax\n\tmovq %%rax, %%cr3\n\tmovq %0, %%cr4"
                     :
                     : "r"(cr4)
                     : "rax", "memory");
}
