/* The address space of random code: its own pages twice, where 16-bit segments reach them and where only 64-bit code
 * does, and the pages of enter.S. */
#include "machine.h"
#include "random.h"

#define P 1ull
#define RW 2ull
#define US 4ull
#define ACCESSED 0x20ull
#define DIRTY 0x40ull
#define NX (1ull << 63)
#define LOWER_US 0x7ull /* of the upper levels: all rights */

uint8_t random_code[PAGE] __attribute__((aligned(PAGE)));
uint8_t random_data[NR_DATA_PAGES * PAGE] __attribute__((aligned(PAGE)));
static uint64_t pml4[512] __attribute__((aligned(PAGE))), pdpt[512] __attribute__((aligned(PAGE))),
    directory[512] __attribute__((aligned(PAGE))), table_low[512] __attribute__((aligned(PAGE))),
    table_own[512] __attribute__((aligned(PAGE)));

static uint64_t physical(const void *at)
{
    return (uint64_t)(uintptr_t)at; /* memory is mapped one to one */
}

static void map_own(const uint8_t *from, const uint8_t *to, uint64_t rights)
{
    for (uint64_t at = physical(from); at < physical(to); at += PAGE)
        table_own[at >> 12 & 511] = at | rights;
}

void space_make(void)
{
    const uint64_t own = physical(random_text_start);

    pml4[0] = pml4[SPACE_HIGH >> 39 & 511] = physical(pdpt) | LOWER_US;
    pdpt[0] = physical(directory) | LOWER_US;
    pdpt[3] = physical(directory) | LOWER_US; /* for segments whose base is above 3 GiB */
    directory[0] = physical(table_low) | LOWER_US;
    directory[own >> 21 & 511] = physical(table_own) | LOWER_US;
    map_own(random_text_start, random_text_end, P | ACCESSED);
    map_own(random_data_start, random_data_end, P | RW | ACCESSED | DIRTY | NX);
    random_state.cr3 = physical(pml4);
}

void space_map_beside(void)
{
    map_own(random_text_end, random_text_end + PAGE, P | ACCESSED | NX);
}

/* One page of data in four has an entry that something is wrong with. */
static uint64_t data_entry(uint64_t right)
{
    static const uint64_t games[] = {0, 0, RW, US, P, NX, ACCESSED, DIRTY, 1ull << 51, 1ull << 46, 0x10, 0x100};
    uint64_t entry = P | RW | right | NX;

    for (uint32_t n = below(4) ? 0 : 1 + below(2); n > 0; n--)
        entry ^= games[below(sizeof games / sizeof games[0])];
    return entry;
}

void space_reset(bool user)
{
    const uint64_t right = user ? US : 0;

    table_low[CODE_AT / PAGE] = physical(random_code) | P | right | (below(4) ? 0 : RW);
    for (uint32_t i = 0; i < NR_DATA_PAGES; i++)
        table_low[DATA_AT / PAGE + i] = (physical(random_data) + i * PAGE) | data_entry(right);
    pdpt[0] &= ~ACCESSED; /* not in the PML4 table: a change there is the end of the address space for the trace */
    directory[0] &= ~ACCESSED;
}

void space_reset_plain(void)
{
    table_low[CODE_AT / PAGE] = physical(random_code) | P | US;
    for (uint32_t i = 0; i < NR_DATA_PAGES; i++)
        table_low[DATA_AT / PAGE + i] = (physical(random_data) + i * PAGE) | P | RW | US | NX;
}

uint64_t space_hash(uint64_t hash)
{
    hash = hash_add(hash, table_low[CODE_AT / PAGE]);
    for (uint32_t i = 0; i < NR_DATA_PAGES; i++)
        hash = hash_add(hash, table_low[DATA_AT / PAGE + i]);
    return hash_add(hash_add(hash, pdpt[0]), directory[0]);
}
