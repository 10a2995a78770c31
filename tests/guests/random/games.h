/* Of games.c: what its parts share. A game is one attempt: registers, a few instructions, the event that ends them. */
#ifndef TESTS_GUESTS_RANDOM_GAMES_H
#define TESTS_GUESTS_RANDOM_GAMES_H

#include "random.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

extern uint64_t games_hash;
extern bool games_print;

/* Before games: registers of random_state.r, which are 0 else. What plays ends with INT 81H by itself. Returns the
 * vector of the event that ended it, which is added to the hash, with RAX and RDX if see is true. */
uint64_t game_play(const uint8_t *code, uint32_t bytes, bool see);
#define PLAY(see, ...) game_play((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), see)
void games_add(const char *name, uint64_t value);
/* Ring 3 where it is 3, until the next game; flags: RFLAGS at its start, beside bit 1. */
extern unsigned game_cpl;
extern uint64_t game_flags;

uint64_t cr0_get(void), cr4_get(void);

/* --- games_table.c: a few pages, by tables of the games' own --- */
#define GAMES_AT 0x0000400000000000ull /* an entry of the PML4 table of its own */
#define GAMES_PAGES 4u
extern uint64_t
    games_directories[3][512]; /* page-directory-pointer table, directory, page table. Entry 1 of both first: free */
uint64_t games_page(uint32_t page); /* its physical address */
void game_access(uint64_t at);      /* a read, write or fetch */
void games_pages_hash(void);

/* --- the parts: one game each. MSRs, control and debug registers, ports, the local APIC, page tables --- */
void game_msr(void);
void game_control(void);
void game_debug(void);
void game_port(void);
void game_apic(void);
void game_x2apic(void);
void game_table(void);
void game_large(void);
void game_pcid(void);
void games_table_prepare(void);

#endif
