/*
 * maps: which page an address leads to, in each address space, as it changes. A kernel maps pages on demand, in its
 * handler of page faults; programs of ring 0 and 3 run from them. Each page's program has branches of its own and
 * yields a number of its own, so that this guest knows that it ran the right one, and a decoder that takes another page
 * for it cannot be right by chance.
 *
 * Command line: cpus=2: two CPUs do it all at once, each in address spaces of its own, with the same pages; then in one
 * address space. quick: pages are remapped so soon that no scan of the page tables falls in between. nonx: EFER.NXE
 * is clear, so that page faults do not say that they are a fetch's. doubtful: a child runs a page that could be
 * another's. disk: a disk fills pages that were executed before, as when a kernel's page cache is short of memory.
 * held: a handler waits for long; with two CPUs its program continues on the other one. brief: it faults no more then;
 * bare: there is no page table yet. populated: pages are mapped without faults; replaced: over others, too. pcid, many:
 * faults that wait for their pages; unknown: while another CPU runs the space. overwritten, copied: records no longer
 * hold; parted: they still do. handed: one CPU's page becomes another one of the other CPU's. taken: a page of both
 * becomes another one. aliased: one page table is entered so often that a scan of all takes long. nmis: NMIs come while
 * pages are being mapped.
 *
 * Interrupts stay off. Invalidations follow SDM "Operations that Invalidate TLBs and Paging-Structure Caches".
 */
#include "maps.h"
#include "ap.h"

#define NR_PROGRAMS 24u
#define AP_PAGE 0x8000u
#define TURNS 1500u /* of a program's loop: long enough for a scan of the page tables, or two */
#define FEW 3u

/* One CPU's. */
static struct world {
    struct space a, b, c, d;
    uint8_t jit[PAGE];
} __attribute__((aligned(4096))) worlds[2];

static uint8_t programs[NR_PROGRAMS][PAGE] __attribute__((aligned(4096)));
static uint8_t large_programs[2][LARGE_PAGE] __attribute__((aligned(2 << 20)));

static bool one_cpu, both, doubtful, disk, held, brief, moves, unknown, handed, taken;
static uint32_t remapped_turns = TURNS; /* of programs 5 and 6 */

static void run_page(const char *what, const struct space *space, uint32_t page, uint32_t number)
{
    run(what, space, address_of(page), number * TURNS);
}

static void *program(uint32_t number)
{
    return programs[number];
}

/* --- the story -------------------------------------------------------------------------------------------------- */

/* One address, two programs; from the second time on without faults. */
static void two_programs(struct world *w)
{
    want(&w->a, 0, program(1));
    want(&w->b, 0, program(2));
    for (uint32_t i = 0; i < 10; i++) {
        run_page("maps: two programs, a", &w->a, 0, 1);
        run_page("maps: two programs, b", &w->b, 0, 2);
    }
}

/* One page at two addresses, and a program's neighbour in each. */
static void library(struct world *w)
{
    want(&w->a, 65, program(3));
    want(&w->b, 130, program(3));
    want(&w->b, 65, program(4));
    for (uint32_t i = 0; i < 4; i++) {
        run_page("maps: library, a", &w->a, 65, 3);
        run_page("maps: library, b", &w->b, 130, 3);
        run_page("maps: its address in b", &w->b, 65, 4);
    }
}

/* One address leads to this page, then to that, and back. */
static void remap(struct world *w)
{
    for (uint32_t i = 0; i < 6; i++) {
        space_enter(&w->a);
        want(&w->a, 192, programs[5 + i % 2]);
        unmap(&w->a, 192);
        run_here("maps: remapped", address_of(192), (5 + i % 2) * remapped_turns);
    }
}

/* A space ends; another one begins in its tables. */
static void reuse(struct world *w)
{
    for (uint32_t i = 0; i < 4; i++) {
        cr3_set(kernel_cr3);
        space_make(&w->c);
        want(&w->c, 0, programs[1 + i % 3]);
        want(&w->c, 65 + i % 2, program(3));
        run_page("maps: reused table", &w->c, 0, 1 + i % 3);
        run_page("maps: reused table, another page", &w->c, 65 + i % 2, 3);
    }
}

/* A child has its parent's tables, and runs without a fault: a page that only its parent has, and, if doubtful, one
 * for which other spaces have another page. */
static void child_runs(struct world *w, struct space *child)
{
    want(&w->a, 200, program(9));
    run_page("maps: the parent", &w->a, 200, 9);
    const uint64_t before = faults;
    for (uint32_t i = 0; i < NR_PAGES; i++)
        *(volatile uint64_t *)&child->table[i] = w->a.table[i];
    run_page("maps: the child", child, 200, 9);
    if (doubtful)
        run_page("maps: the child's doubtful page", child, 0, 1);
    if (one_cpu)
        expect("maps: faults of a child", faults - before, 0);
}

/* Written at one address, executed at another, and by the parent at a third. */
static void jit(struct world *w)
{
    want(&w->a, 256, w->jit);
    want(&w->a, 257, w->jit);
    want(&w->b, 256, w->jit);
    for (uint32_t i = 0; i < 6; i++) {
        space_enter(&w->a);
        program_make((uint8_t *)(uintptr_t)address_of(256), (uint8_t)(10 + i), i % 2 ? TURNS : FEW);
        run("maps: just written", &w->a, address_of(257), (10 + i) * (i % 2 ? TURNS : FEW));
        run("maps: just written, elsewhere", &w->b, address_of(256), (10 + i) * (i % 2 ? TURNS : FEW));
    }
}

/* Large pages: two at one address, one of them at two; and a small page of it. */
static void large(struct world *w)
{
    const uint64_t bits = RIGHTS | LARGE;
    w->a.wanted_large[0] = physical(large_programs[0]) | bits;
    w->b.wanted_large[0] = physical(large_programs[1]) | bits;
    w->b.wanted_large[2] = physical(large_programs[0]) | bits;
    want(&w->a, 320, &large_programs[1][300 * PAGE]);
    for (uint32_t i = 0; i < 3; i++) {
        run("maps: large, a", &w->a, large_address(0, 3), 16 * TURNS);
        run("maps: large, a, far on", &w->a, large_address(0, 300), 17 * TURNS);
        run("maps: large, b", &w->b, large_address(0, 3), 18 * TURNS);
        run("maps: large, a's at another address", &w->b, large_address(2, 300), 17 * TURNS);
        run_page("maps: a small page of it", &w->a, 320, 19);
    }
}

/* Mapped because it was read, then executed: no fetch faults. */
static void read_first(struct world *w)
{
    want(&w->a, 384, program(1));
    want(&w->b, 384, program(2));
    space_enter(&w->a);
    expect("maps: read", *(volatile uint8_t *)(uintptr_t)address_of(384), 0x31);
    run_page("maps: read, then executed", &w->a, 384, 1);
    space_enter(&w->b);
    expect("maps: read", *(volatile uint8_t *)(uintptr_t)address_of(384), 0x31);
    run_page("maps: read, then executed, b", &w->b, 384, 2);
}

/* All around a page that was fetched, or read, is mapped with it. */
static void around(struct world *w)
{
    const uint64_t before = faults;
    w->a.around = w->b.around = true;
    for (uint32_t i = 0; i < AROUND; i++) {
        want(&w->a, 400 + i, programs[1 + i % 4]);
        want(&w->b, 400 + i, programs[1 + (i + 1) % 4]);
    }
    for (uint32_t i = 0; i < AROUND; i++) {
        run_page("maps: around", &w->a, 400 + (i + 5) % AROUND, 1 + (i + 5) % AROUND % 4);
        run_page("maps: around, b", &w->b, 400 + (i + 9) % AROUND, 1 + ((i + 9) % AROUND + 1) % 4);
    }
    w->a.around = w->b.around = false;
    if (one_cpu)
        expect("maps: faults around", faults - before, 2);
}

/* Pages that were executed are unmapped and filled by the disk: no CPU writes them. Then they are mapped where they
 * were, by a fault of their own or of their neighbour's, and in another space. */
static void refill(struct world *w)
{
    static uint8_t frames[2][PAGE] __attribute__((aligned(4096)));
    for (uint32_t i = 0; i < 4; i++)
        disk_write(i, programs[20 + i]);
    w->a.around = true;
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t first = i % 2, second = 2 + i / 2 % 2; /* each other time only one of them changes */
        space_enter(&w->a);
        unmap(&w->a, 464);
        unmap(&w->a, 465);
        disk_read(first, frames[0]);
        disk_read(second, frames[1]);
        want(&w->a, 464, frames[0]);
        want(&w->a, 465, frames[1]);
        run_page("maps: refilled, its neighbour mapped it", &w->a, 465, 20 + second);
        run_page("maps: refilled", &w->a, 464, 20 + first);
        want(&w->b, 470 + i, frames[0]);
        run_page("maps: refilled, elsewhere", &w->b, 470 + i, 20 + first);
    }
    w->a.around = false;
}

static void story(struct world *w)
{
    space_make(&w->a);
    space_make(&w->b);
    space_make(&w->d);
    two_programs(w);
    library(w);
    remap(w);
    reuse(w);
    child_runs(w, &w->d);
    jit(w);
    large(w);
    read_first(w);
    around(w);
    two_programs(w);
    if (disk)
        refill(w);
    cr3_set(kernel_cr3);
}

/* --- two CPUs --------------------------------------------------------------------------------------------------- */

static volatile uint32_t asked, done;
static uint8_t ap_stack[16384] __attribute__((aligned(16)));

void both_wait(volatile uint32_t *number, uint32_t value)
{
    while (*number != value)
        __asm__ volatile("pause");
}

/* A round has four steps, published by number: changed, forgotten by the other CPU too, mapped and run, run there too.
 */
static volatile uint32_t step;

static void remap_both(struct world *w, bool first)
{
    space_enter(&w->a);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t value = (7 + i % 2) * TURNS;
        if (first) {
            want(&w->a, 448, programs[7 + i % 2]);
            unmap(&w->a, 448);
            step = 4 * i + 1;
            both_wait(&step, 4 * i + 2);
            run_here("maps: remapped for both", address_of(448), value);
            step = 4 * i + 3;
            run_here("maps: remapped for both, once more", address_of(448), value);
            both_wait(&step, 4 * i + 4);
        } else {
            both_wait(&step, 4 * i + 1);
            unmap_here(448);
            step = 4 * i + 2;
            both_wait(&step, 4 * i + 3);
            run_here("maps: remapped by the other CPU", address_of(448), value);
            step = 4 * i + 4;
        }
    }
    cr3_set(kernel_cr3);
}

static void ap_main(uint64_t number)
{
    (void)number;
    asked = 1;
    story(&worlds[1]);
    done = 1;
    if (both) {
        remap_both(&worlds[0], false);
        done = 2;
    }
    if (moves)
        held_story_there(&worlds[0].a, programs);
    if (unknown)
        unknown_story_there(3 * TURNS);
    if (handed)
        handed_story_there(program(4), 4 * TURNS);
    if (taken)
        taken_story_there(4 * TURNS, 3 * TURNS);
    for (;;)
        __asm__ volatile("cli; hlt");
}

static void ap_start(void)
{
    ap_prepare(AP_PAGE, ap_main, 1, physical(&ap_stack[sizeof(ap_stack)]));
    ipi_xapic(1, IPI_INIT);
    ap_pause(300);
    ipi_xapic(1, IPI_SIPI | AP_PAGE >> 12);
    both_wait(&asked, 1);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    const bool two = command_line_has(line, "cpus=2", NULL);
    one_cpu = !two;
    both = command_line_has(line, "both", NULL);
    doubtful = command_line_has(line, "doubtful", NULL);
    disk = command_line_has(line, "disk", NULL);
    held = command_line_has(line, "held", NULL);
    brief = command_line_has(line, "brief", NULL);
    unknown = command_line_has(line, "unknown", NULL);
    handed = command_line_has(line, "handed", NULL);
    taken = command_line_has(line, "taken", NULL);
    moves = held && two;
    machine_start(boot_params);
    console_text("maps: start\r\n");
    interrupt_set(14, (void *)on_page_fault, 0);
    msr_set(0xc0000081, 0x0018001000000000ull);               /* IA32_STAR: SYSRET's and SYSCALL's selectors */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)&syscall_entry); /* IA32_LSTAR */
    msr_set(0xc0000084, 0x700);                               /* IA32_FMASK: TF, IF, DF */
    if (!command_line_has(line, "nonx", NULL))
        msr_set(0xc0000080, msr_get(0xc0000080) | 0x800); /* IA32_EFER.NXE */
    kernel_cr3 = cr3_get();
    if (command_line_has(line, "quick", NULL))
        remapped_turns = FEW;
    for (uint8_t i = 0; i < NR_PROGRAMS; i++)
        program_make(programs[i], i, i == 5 || i == 6 ? remapped_turns : TURNS);
    program_make(&large_programs[0][3 * PAGE], 16, TURNS);
    program_make(&large_programs[0][300 * PAGE], 17, TURNS);
    program_make(&large_programs[1][3 * PAGE], 18, TURNS);
    program_make(&large_programs[1][300 * PAGE], 19, TURNS);
    if (two)
        ap_start();
    story(&worlds[0]);
    if (two)
        both_wait(&done, 1);
    if (two && both) {
        remap_both(&worlds[0], true);
        both_wait(&done, 2);
    }
    if (held)
        held_story(&worlds[0].a, programs, TURNS, (struct held){brief, command_line_has(line, "bare", NULL), moves});
    if (two && unknown)
        unknown_story(program(3));
    if (two && handed)
        handed_story(program(3), 3 * TURNS);
    if (two && taken)
        taken_story(program(4), 4 * TURNS, program(3), 3 * TURNS);
    if (command_line_has(line, "many", NULL))
        many_story(programs, TURNS);
    if (command_line_has(line, "pcid", NULL))
        pcid_story(program(3), 3 * TURNS);
    if (command_line_has(line, "populated", NULL))
        quiet_story(&worlds[0].a, &worlds[0].b, programs, TURNS, command_line_has(line, "replaced", NULL));
    if (command_line_has(line, "aliased", NULL))
        aliased_story(&worlds[0].b);
    if (command_line_has(line, "overwritten", NULL))
        overwritten_story(&worlds[0].a, &worlds[0].b, programs, TURNS, command_line_has(line, "continues", NULL));
    if (command_line_has(line, "parted", NULL))
        parted_story(&worlds[0].a, &worlds[0].b, programs, TURNS);
    if (command_line_has(line, "nmis", NULL))
        nmis_story(&worlds[0].a, programs, TURNS);
    if (command_line_has(line, "copied", NULL))
        copied_story(&worlds[0].a, &worlds[0].b, programs, TURNS);
    console_line("maps: faults", faults);
    console_text(failures ? "maps: FAILED\r\n" : "maps: ok\r\n");
}
