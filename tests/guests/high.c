/*
 * high: memory above 4 GiB, its end wherever that is, and addresses beyond it: nothing, which reads as ones. Code is
 * executed there, changed, and executed again, so that pages of such addresses are sent.
 */
#include "machine.h"

#define GIB (1ull << 30)
#define LARGE_PAGE (2ull << 20)
#define PAGE 4096ull
#define MOST (16 * GIB)
#define PRESENT 7ull /* writable, for ring 3 too */
#define LARGE (1ull << 7)

/* Linux boot protocol, boot_params: the number of E820 entries, and the first of them, 20 bytes each. */
#define E820_ENTRIES 0x1e8
#define E820_TABLE 0x2d0
#define E820_USABLE 1u

static uint64_t directories[MOST / GIB - 4][512] __attribute__((aligned(4096)));
static bool failed;

/* The tables of start.S end at 4 GiB. */
static void map_more(void)
{
    uint64_t root;

    __asm__ volatile("mov %%cr3, %0" : "=r"(root));
    uint64_t *pointers = (uint64_t *)(*(uint64_t *)root & ~(PAGE - 1));
    for (unsigned i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        for (unsigned k = 0; k < 512; k++)
            directories[i][k] = ((i + 4) * GIB + k * LARGE_PAGE) | LARGE | PRESENT;
        pointers[i + 4] = (uint64_t)directories[i] | PRESENT;
    }
}

static uint64_t field(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static uint64_t top_of_memory(const uint8_t *boot_params)
{
    uint64_t top = 0;

    for (unsigned i = 0; i < boot_params[E820_ENTRIES]; i++) {
        const uint8_t *entry = boot_params + E820_TABLE + 20 * i;
        const uint64_t end = field(entry, 8) + field(entry + 8, 8);

        if (field(entry + 16, 4) == E820_USABLE && end > top)
            top = end;
    }
    return top;
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is == should)
        return;
    failed = true;
    console_text("high: ");
    console_text(what);
    console_line(" is", is);
    console_line("high: and should be", should);
}

/* MOV EAX, number; RET, there; once more after a change. */
static void run_at(uint64_t address)
{
    volatile uint8_t *code = (volatile uint8_t *)address;

    for (uint32_t number = 1; number <= 3; number++) {
        code[0] = 0xb8;
        *(volatile uint32_t *)(code + 1) = number;
        code[5] = 0xc3;
        expect("what code above 4 GiB returns", ((uint32_t(*)(void))address)(), number);
    }
}

static void use_page(uint64_t address)
{
    volatile uint64_t *word = (volatile uint64_t *)address;

    *word = address ^ 0x5555;
    expect("a word above 4 GiB", *word, address ^ 0x5555);
}

/* In steps that meet whole GiBs, their parts, and single pages. */
static void read_above(uint64_t top)
{
    static const uint64_t steps[] = {0, PAGE, LARGE_PAGE, LARGE_PAGE + PAGE, 300 * LARGE_PAGE, GIB, 2 * GIB + PAGE};

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const uint64_t at = top + steps[i];

        if (at < MOST)
            expect("a word above the end of memory", *(volatile uint64_t *)at, UINT64_MAX);
    }
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    const uint64_t top = top_of_memory(boot_params);
    console_line("high: memory ends at MiB", top >> 20);
    map_more();
    for (uint64_t at = 4 * GIB; at + PAGE <= top; at += 37 * LARGE_PAGE + PAGE)
        use_page(at);
    if (top > 4 * GIB) {
        use_page((top & ~(PAGE - 1)) - PAGE);
        run_at(4 * GIB);
        run_at((top & ~(PAGE - 1)) - 2 * PAGE);
    }
    read_above((top + PAGE - 1) & ~(PAGE - 1));
    console_text(failed ? "high: FAILED\r\n" : "high: ok\r\n");
}
