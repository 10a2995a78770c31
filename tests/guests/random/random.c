/*
 * random: random instructions from a seed, in 64-bit and compatibility mode, 32- and 16-bit, at CPL 0 and 3; and in the
 * other modes, with segments of all kinds, at CPL 0 to 3 (modes.c). Each exception is caught, and added to a hash with
 * all registers; then it continues with the next instruction. A seed resets everything, so each is independent
 * (tests/system/guest/random.sh compares what is printed with the bare machine's).
 *
 * Command line: seed=N count=N (a hash for each 64 seeds), each (for each seed, 0 where it did not end), events (each
 * event as well), periods=N (of 55 ms, until a seed is given up), games (with the machine, instead of code: games.c);
 * compat, legacy, v86, real (only seeds of this mode, with segments that have bases), modes (one of these after the
 * other).
 *
 * Left out, because it differs from run to run or is documented to differ (docs/visible.md): time-stamp and performance
 * counters, RDRAND, RDSEED, CPUID (make.c).
 */
#include "random.h"
#include "machine.h"

#define SEEDS_A_LINE 64u
#define MOST_EVENTS 160u
#define RFLAGS_FIXED 2u
#define RFLAGS_ALLOWED 0x40cd5u /* what a seed begins with: AC, DF, OF, SF, ZF, AF, PF, CF */
#define RFLAGS_IF 0x200u

static bool say_each, say_events;
static uint64_t hash;
static uint64_t registers[16]; /* as the seed begins */

struct run run;
static enum kind kind;
static uint32_t periods = 1, given_up;

void hex(const char *name, uint64_t value)
{
    char digits[17];

    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    digits[16] = 0;
    console_text(name);
    console_text(digits);
}

/* --- a seed ------------------------------------------------------------------------------------------------------ */

static uint64_t register_value(void)
{
    switch (below(8)) {
    case 0:
        return random64();
    case 1:
        return below(256);
    case 2:
        return ~0ull >> below(64);
    default:
        return run.data_at + below(NR_DATA_PAGES * PAGE);
    }
}

/* The state to continue in after an event: as the seed began, at the next instruction. */
static void state_reset(void)
{
    struct random_state *s = &random_state;

    for (uint32_t i = 0; i < 16; i++)
        s->r[i] = registers[i];
    s->rip = run.code_at + run.starts[run.next];
    s->cs = run.cs;
    s->ss = s->ds = s->es = s->fs = s->gs = run.ds;
    s->rsp = run.data_at + PAGE + (registers[4] & 0xff8);
    s->rflags = RFLAGS_FIXED | (registers[5] & RFLAGS_ALLOWED) | run.flags;
}

static void floating_point_reset(void)
{
    static const uint32_t mxcsr = 0x1f80;

    __asm__ volatile("clts\n\tfninit\n\tldmxcsr %0" : : "m"(mxcsr));
    for (uint32_t i = 0; i < 8; i++)
        __asm__ volatile("fldz"); /* FNINIT leaves the registers as they are */
    __asm__ volatile("fninit");
#define ZERO(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
    __asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10) ZERO(11)
                         ZERO(12) ZERO(13) ZERO(14) "pxor %%xmm15, %%xmm15"
                     :
                     :);
}

/* Flat segments of IA-32e mode. */
static void run_choose(void)
{
    static const uint8_t selectors[3][2] = {{CODE64, CODE64_3}, {CODE32, CODE32_3}, {CODE16, CODE16_3}};

    run.width = (enum width)below(3);
    run.cpl = below(2) ? 3 : 0;
    run.code_at = CODE_AT + (run.width == WIDTH_64 && below(2) ? SPACE_HIGH : 0);
    run.data_at = run.code_at - CODE_AT + DATA_AT;
    run.flags = run.cpl ? RFLAGS_IF : 0;
    run.cs = selectors[run.width][run.cpl != 0];
    run.ds = run.cpl ? DATA3 : DATA;
    run.enter = random_enter;
}

static void seed_start(uint32_t seed)
{
    random_sequence = (seed + 1) * 0x9e3779b97f4a7c15ull;
    run.code = random_code;
    run.data = random_data;
    if (kind == KIND_CODE)
        run_choose();
    else
        modes_choose(kind == KIND_MODES ? KIND_COMPAT + seed % (KIND_MODES - KIND_COMPAT) : kind);
    if (kind == KIND_CODE)
        code_make(0, NR_DESCRIPTORS, DATA_AT);
    else
        code_make(RANDOM_CODE, NR_RANDOM, run.data_at);
    run.next = run.events = 0;
    run.gave_up = false;
    for (uint32_t i = 0; i < 16; i++)
        registers[i] = register_value();
    data_reset();
    if (run.enter == random_enter)
        space_reset(run.cpl == 3);
    floating_point_reset();
    state_reset();
    hash = 0xcbf29ce484222325ull;
    watch_start(periods);
}

static void console_byte(uint8_t byte)
{
    const char text[] = {' ', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15], 0};

    console_text(text);
}

static void event_say(void)
{
    const struct random_state *s = &random_state;

    hex("random: event ", s->vector);
    hex(" ", s->error);
    hex(" at ", s->rip);
    hex(" flags ", s->rflags);
    for (uint32_t i = 0; i < 16; i++)
        hex(" ", i == 4 ? s->rsp : s->r[i]);
    hex(" cr2 ", s->cr2);
    hex(" dr6 ", s->dr6);
    console_text(" code");
    for (uint64_t at = s->rip - run.code_at, end = at + 12; at < end && at < PAGE; at++)
        console_byte(run.code[at]);
    console_text("\r\n");
}

static void event_hash(void)
{
    struct random_state *s = &random_state;

    if (say_events)
        event_say();
    hash = hash_add(hash, s->vector << 32 | s->error);
    hash = hash_add(hash, s->rip);
    hash = hash_add(hash, s->cs << 48 | s->ss << 32 | s->rflags);
    hash = hash_add(hash, s->ds << 48 | s->es << 32 | s->fs << 16 | s->gs);
    s->r[4] = s->rsp;
    for (uint32_t i = 0; i < 16; i++)
        hash = hash_add(hash, s->r[i]);
    if (s->vector == 14)
        hash = hash_add(hash, s->cr2);
    if (s->vector == 1)
        hash = hash_add(hash, s->dr6);
}

/* Traps continue where they are, everything else after the instruction. Returns whether there is anything left. */
static bool event_take(void)
{
    struct random_state *s = &random_state;
    const uint64_t offset = s->rip - run.code_at;

    if (s->vector == 2 && watch_take()) {
        /* The NMI's frame on the code's own stack is a difference in memory that only time explains. */
        run.gave_up = periods_left == 0 || run.one_stack;
        return !run.gave_up;
    }
    event_hash();
    if (s->vector == VECTOR_END || ++run.events == MOST_EVENTS)
        return false;
    if (s->vector == 1)
        __asm__ volatile("movq %0, %%dr6" : : "r"(0xffff0ff0ull));
    if (s->vector == 1 && offset < run.starts[run.number])
        return true;
    run.next++;
    while (run.next < run.number && offset < run.starts[run.number] && run.starts[run.next] <= offset)
        run.next++;
    if (run.next > run.number)
        return false;
    state_reset();
    return true;
}

/* The pages of enter.S are mapped without a fault, so the trace does not have it. After a fault beside them root
 * mode reads the page table. */
static void space_show(void)
{
    static const uint8_t read[] = {0x8a, 0x00, 0xcd, VECTOR_END}; /* MOV AL, [RAX] */

    run.code_at = CODE_AT;
    run.data_at = DATA_AT;
    run.cs = CODE64;
    run.ds = DATA;
    for (uint32_t i = 0; i < sizeof read; i++)
        random_code[i] = read[i];
    registers[0] = (uint64_t)(uintptr_t)random_text_end;
    space_reset(false);
    state_reset();
    random_enter();
    space_map_beside();
    state_reset();
    random_enter();
    for (volatile uint32_t wait = 0; wait < 100000; wait++)
        ;
}

static uint8_t fxsave_area[512] __attribute__((aligned(16)));

static void seed_end(void)
{
    __asm__ volatile("clts\n\tfxsaveq %0" : "=m"(fxsave_area));
    for (uint32_t i = 0; i < 416 / 8; i++)
        hash = hash_add(hash, ((uint64_t *)(void *)fxsave_area)[i]);
    hash = data_hash(hash);
    hash = run.enter == random_enter ? space_hash(hash) : modes_memory_hash(hash);
}

static void seed_run(uint32_t seed)
{
    seed_start(seed);
    do
        run.enter();
    while (event_take());
    seed_end();
    if (run.gave_up) {
        hash = 0;
        given_up++;
    }
}

/* The kind that is on the command line, or code. */
static enum kind kind_named(const char *line)
{
    static const char *const names[NR_KINDS] = {[KIND_COMPAT] = "compat",
                                                [KIND_LEGACY] = "legacy",
                                                [KIND_V86] = "v86",
                                                [KIND_REAL] = "real",
                                                [KIND_MODES] = "modes"};

    for (uint32_t i = 0; i < NR_KINDS; i++)
        if (names[i] && command_line_has(line, names[i], NULL))
            return (enum kind)i;
    return KIND_CODE;
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    uint32_t seed = 0, count = 64;
    uint64_t sum = 0;

    machine_start(boot_params);
    command_line_has(line, "seed=", &seed);
    command_line_has(line, "count=", &count);
    command_line_has(line, "periods=", &periods);
    say_events = command_line_has(line, "events", NULL);
    say_each = say_events || command_line_has(line, "each", NULL);
    kind = kind_named(line);
    const bool games = command_line_has(line, "games", NULL);
    machine_prepare(!games);
    space_show();
    data_prepare();
    if (kind != KIND_CODE)
        modes_prepare();
    for (uint32_t i = 0; i < count; i++) {
        if (games)
            hash = games_run(seed + i, say_events);
        else
            seed_run(seed + i);
        sum = hash_add(sum, hash);
        if ((seed + i + 1) % SEEDS_A_LINE == 0 || run.gave_up)
            modes_memory_is_stale = true;
        if (say_each || i % SEEDS_A_LINE == SEEDS_A_LINE - 1 || i == count - 1) {
            console_text("random: ");
            console_number(seed + i);
            hex(" ", say_each ? hash : sum);
            console_text("\r\n");
            sum = 0;
        }
    }
    console_line("given up:", given_up);
    console_text("random: ok\r\n");
}
