/* smp: interrupts between CPUs, code that changes under them, and CPUs that go and come back. */
#include "smp.h"

/* --- interrupts and NMIs: each CPU in turn, to each other one, the next when this has arrived --- */

static volatile uint32_t turn;

static uint32_t sent(void)
{
    return !options.small ? 20 : options.cpus > 8 ? 1 : 4;
}

static void await(volatile uint32_t *counter, uint32_t value)
{
    while (*counter != value)
        __asm__ volatile("pause");
}

static void send_to(uint32_t to)
{
    for (uint32_t i = 0; i < sent(); i++) {
        uint32_t before = cpus[to].interrupts;
        ipi(to, IPI_FIXED | VECTOR);
        await(&cpus[to].interrupts, before + 1);
        before = cpus[to].nmis;
        ipi(to, IPI_NMI);
        await(&cpus[to].nmis, before + 1);
    }
}

/* CPUs that wait for their turn do so in different ways. */
static void wait_for_turn(uint32_t cpu)
{
    while (cpu % 2 == 0 && turn < cpu)
        __asm__ volatile("pause");
    __asm__ volatile("cli");
    while (turn < cpu)
        __asm__ volatile("sti; hlt; cli");
    __asm__ volatile("sti");
}

static void send_all(uint32_t cpu)
{
    wait_for_turn(cpu);
    for (uint32_t to = 0; to < options.cpus; to++)
        if (to != cpu)
            send_to(to);
    if (cpu == 0) { /* one for all others */
        ipi(0, IPI_OTHERS | IPI_FIXED | VECTOR);
        ipi(0, IPI_OTHERS | IPI_NMI);
        for (uint32_t to = 1; to < options.cpus; to++) {
            await(&cpus[to].interrupts, sent() + 1);
            await(&cpus[to].nmis, sent() + 1);
        }
    }
    turn = cpu + 1;
    if (cpu + 1 < options.cpus)
        ipi(cpu + 1, IPI_FIXED | VECTOR); /* wakes it */
    while (turn < options.cpus)
        __asm__ volatile("pause");
}

void smp_interrupts(void)
{
    cpus_run(send_all);
    for (uint32_t n = 0; n < options.cpus; n++) {
        uint32_t extra = n == 0 ? 0 : 1; /* the one for all */
        expect("interrupts", cpus[n].interrupts, (options.cpus - 1) * sent() + 2 * extra);
        expect("NMIs", cpus[n].nmis, (options.cpus - 1) * sent() + extra);
    }
}

/* --- code that the first CPU changes: SDM "Handling Self- and Cross-Modifying Code" --- */

#define OLD 0x11u
#define NEW 0x22u

/* Two quadwords; the first is written at once. One way it is MOV EAX, RET; the other, a jump to the second. */
static volatile uint64_t code[512] __attribute__((aligned(4096)));
static const uint64_t mov_old = 0xc3000000ull << 16 | OLD << 8 | 0xb8;
static const uint64_t mov_new = 0xc3000000ull << 16 | NEW << 8 | 0xb8;
static const uint64_t jump = 0x90909090909006ebull;

static volatile uint32_t generation, acknowledged, stop, never;

static uint32_t patches(void)
{
    return options.small ? 4 : 40;
}

static uint32_t call_code(void)
{
    return ((uint32_t(*)(void))(uintptr_t)code)();
}

static void serialise(void)
{
    uint32_t eax = 0, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx) : : "memory");
}

static void patch(uint32_t n)
{
    code[0] = n % 2 ? jump : mov_old;
}

/* No CPU executes it while it is written. */
static void with_handshake(uint32_t cpu)
{
    uint32_t wrong = 0;
    for (uint32_t n = 1; n <= patches(); n++) {
        if (cpu == 0) {
            acknowledged = 0;
            patch(n);
            generation = n;
        }
        while (generation != n)
            __asm__ volatile("pause");
        serialise();
        wrong += call_code() != (n % 2 ? NEW : OLD);
        __atomic_fetch_add(&acknowledged, 1, __ATOMIC_SEQ_CST);
        while (acknowledged != options.cpus && generation == n)
            __asm__ volatile("pause");
    }
    cpus[cpu].sum = wrong;
}

/* The others keep executing it: each call finds the one or the other. */
static void without_handshake(uint32_t cpu)
{
    uint32_t wrong = 0, calls = 0;
    if (cpu == 0) {
        for (uint32_t n = 1; n <= patches(); n++) {
            patch(n);
            for (uint32_t i = 0; i < 10 + n; i++)
                wrong += call_code() != (n % 2 ? NEW : OLD);
        }
        stop = 1;
    }
    while (cpu != 0 && (!stop || calls < (options.small ? 10 : 100))) {
        uint32_t value = call_code();
        wrong += value != OLD && value != NEW;
        calls++;
    }
    cpus[cpu].sum = wrong;
}

void smp_patches(void)
{
    void (*const ways[])(uint32_t) = {with_handshake, without_handshake};
    code[0] = mov_old;
    code[1] = mov_new;
    for (uint32_t way = 0; way < 2; way++) {
        uint32_t wrong = 0;
        cpus_run(ways[way]);
        for (uint32_t n = 0; n < options.cpus; n++)
            wrong += cpus[n].sum;
        expect(way == 0 ? "wrong values, patched with a handshake" : "wrong values, patched without", wrong, 0);
    }
}

/* --- offline, and back --- */

static volatile uint32_t gone;

static void halt_here(uint32_t cpu)
{
    gone = cpu;
    for (;;)
        __asm__ volatile("cli; hlt");
}

static void spin_here(uint32_t cpu)
{
    gone = cpu;
    while (!never) /* a jump without a condition leaves no packet: how often it was taken would be unknown */
        __asm__ volatile("pause");
}

static void say_hello(uint32_t cpu)
{
    cpus[cpu].sum = 1000 + cpu;
}

static void round_trip(uint32_t n, void (*way)(uint32_t), uint32_t starts)
{
    gone = 0;
    cpu_ask(n, way);
    await(&gone, n);
    ap_pause(200);
    cpu_start(n);
    cpu_ask(n, say_hello);
    cpu_wait(n);
    expect("started again", cpus[n].starts, starts);
    expect("and it works", cpus[n].sum, 1000 + n);
}

void smp_offline(void)
{
    for (uint32_t n = 1; n < options.cpus; n++) {
        round_trip(n, halt_here, 2);
        round_trip(n, spin_here, 3);
    }
    cpus_run(say_hello);
}
