/*
 * Address spaces of random code outside IA-32e mode: 32-bit and PAE page tables, or none. Without paging the code
 * reaches low memory. So all of it becomes RAM, the VGA's and the firmware's too (82441FX, "PAM Registers", "SMRAM"),
 * and is filled with INT3: where the code may get to is the same each time, and ends it.
 */
#include "modes.h"

#include "machine.h"

#define P 1u
#define RW 2u
#define US 4u
#define PCD 0x10u
#define ACCESSED 0x20u
#define DIRTY 0x40u
#define GLOBAL 0x100u
#define NX (1ull << 63)
#define LOW_END 0x120000u
#define NEAR_END 0x14000u  /* of what the first segments reach */
#define BRIDGE 0x80000000u /* CONFIG_ADDRESS of the host bridge, bus 0, device 0 */
#define INT3 0xcc

static uint32_t directory_32[1024] __attribute__((aligned(PAGE))), low_32[1024] __attribute__((aligned(PAGE))),
    own_32[1024] __attribute__((aligned(PAGE)));
static uint64_t pointers_pae[4] __attribute__((aligned(PAGE))), directory_pae[512] __attribute__((aligned(PAGE))),
    low_pae[512] __attribute__((aligned(PAGE))), own_pae[512] __attribute__((aligned(PAGE)));
static uint8_t vectors_8086[PAGE] __attribute__((aligned(PAGE))), no_table[PAGE] __attribute__((aligned(PAGE))),
    fill[PAGE] __attribute__((aligned(PAGE)));
static enum modes_paging current;
bool modes_memory_is_stale = true;

static uint32_t address(const void *at)
{
    return (uint32_t)(uintptr_t)at;
}

static void map_own(const uint8_t *from, const uint8_t *to, uint32_t rights)
{
    for (uint32_t at = address(from); at < address(to); at += PAGE) {
        own_32[at >> 12 & 1023] = at | rights;
        own_pae[at >> 12 & 511] = at | rights;
    }
}

static void map_low(uint32_t at, uint64_t entry)
{
    low_32[at / PAGE] = (uint32_t)entry;
    low_pae[at / PAGE] = entry;
}

static void spaces_make(void)
{
    const uint32_t own = address(modes_text_start);

    directory_32[0] = directory_32[MODES_HIGH >> 22] = address(low_32) | P | RW | US;
    directory_32[own >> 22] = address(own_32) | P | RW;
    for (uint32_t i = 0; i < 4; i += 3) /* the first GiB, and the fourth */
        pointers_pae[i] = address(directory_pae) | P;
    directory_pae[0] = address(low_pae) | P | RW | US;
    directory_pae[own >> 21 & 511] = address(own_pae) | P | RW;
    map_own(modes_text_start, modes_text_end, P | ACCESSED);
    map_own(modes_data_start, modes_data_end, P | RW | ACCESSED | DIRTY);
    map_own(random_data_start, random_data_end, P | RW | ACCESSED | DIRTY);
    map_low(MODES_AT, MODES_AT | P | RW | ACCESSED | DIRTY);
}

static void bridge_write8(uint8_t offset, uint8_t value)
{
    io_write32(0xcf8, BRIDGE | (offset & 0xfcu));
    io_write8((uint16_t)(0xcfc + (offset & 3)), value);
}

static void copy(void *to, const void *from, uint64_t quadwords)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(quadwords) : : "memory");
}

static void low_fill(uint32_t end)
{
    if (end > MODES_AT)
        copy((uint8_t *)(uintptr_t)MODES_AT + 256, fill, (PAGE - 256) / 8);
    for (uint32_t at = 0; at < end; at += PAGE)
        if (at != MODES_AT && !(at >= 0xc0000 && at < 0x100000))
            copy((void *)(uintptr_t)at, fill, PAGE / 8);
}

void modes_memory_prepare(void)
{
    for (uint32_t i = 0; i < PAGE; i++)
        fill[i] = INT3;
    bridge_write8(0x72, 0x4a); /* SMRAM is open: A0000H to BFFFFH */
    for (uint8_t offset = 0x59; offset <= 0x5f; offset++)
        bridge_write8(offset, 0x33); /* C0000H to FFFFFH are read and written */
    for (uint32_t at = 0xc0000; at < 0x100000; at += PAGE)
        copy((void *)(uintptr_t)at, fill, PAGE / 8);
    copy((void *)(uintptr_t)REAL_AT, real_start, (uint64_t)(real_end - real_start + 7) / 8);
    for (uint8_t offset = 0x59; offset <= 0x5f; offset++)
        bridge_write8(offset, 0x11); /* read-only */
    spaces_make();
}

/* Interrupts that virtual-8086 mode redirects lead back into the code. */
static void vectors_make(void)
{
    uint16_t *entries = (uint16_t *)(void *)vectors_8086;

    for (uint32_t i = 0; i < 256; i++) {
        const uint16_t segment = (uint16_t)below(CODE_AT / 16 + 1);

        entries[2 * i] = (uint16_t)(CODE_AT - 16u * segment + below(256));
        entries[2 * i + 1] = segment;
    }
}

/* One page of data in four has an entry that something is wrong with. */
static uint64_t data_entry(uint64_t entry, bool pae)
{
    static const uint64_t games[] = {0, RW, US, P, ACCESSED, DIRTY, PCD, GLOBAL, NX, 1ull << 51, 1ull << 46};

    for (uint32_t n = below(4) ? 0 : 1 + below(2); n > 0; n--)
        entry ^= games[below(pae ? sizeof games / sizeof games[0] : 8)];
    return entry;
}

uint32_t modes_memory_reset(enum modes_paging paging, bool user, bool vm86)
{
    const uint32_t right = user ? US : 0;

    current = paging;
    if (vm86)
        vectors_make();
    if (paging == PAGING_OFF) {
        low_fill(modes_memory_is_stale ? LOW_END : NEAR_END);
        modes_memory_is_stale = false;
        if (vm86)
            copy(NULL, vectors_8086, PAGE / 8);
        return address(no_table);
    }
    map_low(CODE_AT, address(random_code) | P | right | (below(4) ? 0 : RW));
    for (uint32_t i = 0; i < NR_DATA_PAGES; i++)
        map_low(DATA_AT + i * PAGE,
                data_entry((address(random_data) + i * PAGE) | P | RW | right, paging == PAGING_PAE));
    map_low(0, vm86 ? address(vectors_8086) | P | RW | US : 0);
    return paging == PAGING_PAE ? address(pointers_pae) : address(directory_32);
}

uint64_t modes_memory_hash(uint64_t hash)
{
    for (uint32_t i = 0; i < 16 && current != PAGING_OFF; i++)
        hash = hash_add(hash, current == PAGING_PAE ? low_pae[i] : low_32[i]);
    return hash;
}
