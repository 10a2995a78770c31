/*
 * Output: the single range, ToPA's tables and sizes, STOP, operational errors, what is cached, what is stale.
 *
 * Source: SDM "Trace Output" (36.2.6), "Operational Errors" (36.3.9).
 */
#include "regs.h"

#define END 1ull
#define INT (1ull << 2)
#define STOP (1ull << 4)
#define SIZE(code) ((uint64_t)(code) << 6)
#define MARK 0x5a5a5a5a5a5a5a5aull

static void mark(uint64_t pa, uint32_t nr_bytes)
{
    for (uint32_t n = 0; n < nr_bytes; n += 8)
        qwords(pa + n)[0] = MARK;
}

static bool marked(uint64_t pa)
{
    return qwords(pa)[0] == MARK;
}

static uint32_t index_of(uint64_t ptrs)
{
    return (uint32_t)ptrs >> 7;
}

/* Trace nr_bytes with the output MSRs given; what IA32_RTIT_OUTPUT_MASK_PTRS is then. */
static uint64_t run(uint64_t ctl, uint64_t base, uint64_t ptrs, uint32_t nr_bytes)
{
    wrmsr(MSR_RTIT_STATUS, 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, base);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, ptrs);
    wrmsr(MSR_RTIT_CTL, ctl);
    if (nr_bytes != 0)
        trace_bytes(nr_bytes);
    wrmsr(MSR_RTIT_CTL, 0);
    return rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS);
}

static uint64_t run_topa(uint64_t ptrs, uint32_t nr_bytes)
{
    return run(CTL_TOPA, TABLE, ptrs, nr_bytes);
}

static bool error_seen(void)
{
    return (rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_ERROR) != 0;
}

static void single_range(void)
{
    mark(REGION, 0x3000);
    uint64_t ptrs = run(CTL_TRACE, REGION + 0x1000, 0xff0ull << 32 | 0xfff, 0x200);
    check("single range: wraps at its end", (ptrs >> 32) < 0xff0 && (ptrs >> 32) > 0x100);
    check_equal("single range: the mask stays", (uint32_t)ptrs, 0xfff);
    check_equal("single range: so does the base", rdmsr(MSR_RTIT_OUTPUT_BASE), REGION + 0x1000);
    check("single range: its last bytes are written", !marked(REGION + 0x1ff0) && !marked(REGION + 0x1ff8));
    check("single range: its first bytes are written", !marked(REGION + 0x1000));
    check("single range: nothing before it", marked(REGION + 0xff8));
    check("single range: nothing after it", marked(REGION + 0x2000));
    mark(REGION, 0x200);
    ptrs = run(CTL_TRACE, REGION, 0, 0x400);
    check("single range: the smallest has 128 bytes", !marked(REGION + 0x78) && marked(REGION + 0x80));
    check("single range: and its offset is below", ptrs >> 32 < 0x80);
    run(CTL_TRACE, REGION + 0x1000, 0x1fff, 16);
    check("single range: a base that has bits of the mask is an error", error_seen());
    run(CTL_TRACE, REGION, 0x1000ull << 32 | 0xfff, 16);
    check("single range: an offset above the mask is an error", error_seen());
    mark(REGION, 0x400);
    run(CTL_TRACE, REGION, 0x17f, 0x600);
    check("single range: a mask with a hole is an error", error_seen() && marked(REGION));
}

/* Each size: the region's last 64 bytes, then the next entry. The largest needs 128 MiB at an address of 128 MiB. */
static void sizes(void)
{
    static const uint64_t LARGE = 0x8000000;
    for (uint64_t code = 0; code < 16; code++) {
        uint64_t size = 4096ull << code;
        qwords(TABLE)[0] = LARGE | SIZE(code);
        qwords(TABLE)[1] = REGION;
        qwords(TABLE)[2] = TABLE | END;
        mark(LARGE + size - 64, 128);
        mark(REGION, 64);
        uint64_t ptrs = run_topa((size - 64) << 32, 0x100);
        bool good = index_of(ptrs) == 1 && !marked(LARGE + size - 64) && !marked(LARGE + size - 8) &&
                    marked(LARGE + size) && !marked(REGION);
        check_n("ToPA: region size", code, good);
    }
}

/* Two tables, each of two regions, round twice. */
static void chain(void)
{
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = (REGION + 0x2000) | SIZE(1);
    qwords(TABLE)[2] = TABLE_2 | END;
    qwords(TABLE_2)[0] = REGION + 0x1000;
    qwords(TABLE_2)[1] = REGION + 0x4000;
    qwords(TABLE_2)[2] = TABLE | END;
    mark(REGION, 0x6000);
    uint64_t ptrs = run_topa(0, 0x2800);
    check_equal("ToPA: the second region", index_of(ptrs), 1);
    check("ToPA: is where the entry says", !marked(REGION + 0x2000) && marked(REGION + 0x1000));
    ptrs = run_topa(0, 0x4800);
    check_equal("ToPA: END leads to the next table", rdmsr(MSR_RTIT_OUTPUT_BASE), TABLE_2);
    check_equal("ToPA: whose entry is the second", index_of(ptrs), 1);
    ptrs = run_topa(0, 0x5800);
    check_equal("ToPA: and back to the first", rdmsr(MSR_RTIT_OUTPUT_BASE), TABLE);
    check("ToPA: nothing after the last region", marked(REGION + 0x5000));
}

static void stop(void)
{
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = (REGION + 0x1000) | STOP;
    qwords(TABLE)[2] = TABLE | END;
    mark(REGION, 0x3000);
    uint64_t ptrs = run_topa(0, 0x3000);
    check_equal("STOP: Stopped", rdmsr(MSR_RTIT_STATUS) & 0x30, RTIT_STATUS_STOPPED);
    check_equal("STOP: the offset is the region's size", ptrs >> 32, 0x1000);
    check_equal("STOP: the entry stays", index_of(ptrs), 1);
    check("STOP: the region is full, nothing is written after it", !marked(REGION + 0x1ff8) && marked(REGION + 0x2000));
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    check_equal("STOP: the same with Stopped set is no error", rdmsr(MSR_RTIT_STATUS) & 0x34, RTIT_STATUS_STOPPED);
    wrmsr(MSR_RTIT_CTL, 0);
    run_topa(ptrs, 16);
    check("STOP: to continue from there is an error", error_seen());
    run_topa(0, 16);
    check("STOP: to continue from elsewhere is not an error", !error_seen());
}

/* Every entry that is wrong, as the first and as the third, which the output comes to. */
static void errors(void)
{
    static const struct {
        const char *name;
        uint64_t entry;
        bool first; /* also wrong as the first */
    } wrong[] = {
        {"bit 1", REGION | 1 << 1, true},
        {"bit 3", REGION | 1 << 3, true},
        {"bit 5", REGION | 1 << 5, true},
        {"bit 10", REGION | 1 << 10, true},
        {"bit 11", REGION | 1 << 11, true},
        {"region of 8 KiB at 4 KiB", (REGION + 0x1000) | SIZE(1), true},
        {"region of 128 MiB at 4 MiB", REGION | SIZE(15), true},
        {"region above MAXPHYADDR", 1ull << 40, true},
        {"END with INT", TABLE | END | INT, true},
        {"END with STOP", TABLE | END | STOP, true},
        {"END with bit 11", TABLE | END | 1 << 11, true},
        {"END above MAXPHYADDR", 1ull << 40 | END, true},
        {"END, the first of a table", TABLE | END, true},
        {"END to a table that starts with END", TABLE_2 | END, false},
    };
    for (unsigned n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
        qwords(TABLE)[0] = wrong[n].entry;
        qwords(TABLE_2)[0] = TABLE | END;
        run_topa(0, 16);
        check(wrong[n].name, error_seen() || !wrong[n].first);
        if (wrong[n].entry == (TABLE | END))
            continue;
        qwords(TABLE)[0] = REGION;
        qwords(TABLE)[1] = REGION + 0x1000;
        qwords(TABLE)[2] = wrong[n].entry;
        mark(REGION, 0x3000);
        run_topa(0, 0x1800);
        bool before = error_seen();
        uint64_t ptrs = run_topa(0, 0x2800);
        check(wrong[n].name, !before && error_seen() && marked(REGION + 0x2000));
        bool second = rdmsr(MSR_RTIT_OUTPUT_BASE) == TABLE_2;
        check_equal("and the pointers name it", ptrs, (second ? 0 : 2 << 7) | 0x7f);
    }
    qwords(TABLE)[0] = REGION;
    run(CTL_TOPA, TABLE + 0x80, 0, 16);
    check("table not at 4 KiB", error_seen());
    run_topa(0x1000ull << 32, 16);
    check("offset of the region's size", error_seen());
    run_topa(0xfffull << 32, 0);
    check("offset of the region's last byte is none", !error_seen());
}

static void error_state(void)
{
    qwords(TABLE)[0] = REGION | 2;
    wrmsr(MSR_RTIT_STATUS, 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0x40ull << 32);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    check_equal("Error: no TriggerEn", rdmsr(MSR_RTIT_STATUS) & 0x34, RTIT_STATUS_ERROR);
    check_equal("Error: TraceEn stays", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    check("Error: no write of STATUS with TraceEn", wrmsr_faults(MSR_RTIT_STATUS, 0));
    wrmsr(MSR_RTIT_CTL, 0);
    qwords(TABLE)[0] = REGION;
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    check_equal("Error: it stays until software clears it", rdmsr(MSR_RTIT_STATUS) & 0x34, RTIT_STATUS_ERROR);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("Error: the output MSRs stay", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS), 0x40ull << 32 | 0x7f);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0x80ull << 32);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("Error: also those that were written meanwhile", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS),
                0x80ull << 32 | 0x7f);
}

/* AHEAD entries beyond the one in use are read before they are changed. */
static void cached(void)
{
    for (uint64_t n = 0; n < 4; n++)
        qwords(TABLE)[n] = REGION + 0x1000 * n;
    qwords(TABLE)[4] = TABLE | END;
    mark(REGION, 0x10000);
    wrmsr(MSR_RTIT_STATUS, 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0x80ull << 32);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    for (uint64_t n = 0; n < 4; n++)
        qwords(TABLE)[n] = REGION + 0x8000 + 0x1000 * n;
    trace_bytes(0x80);
    check_equal("cached: MASK_PTRS is stale", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS), 0x80ull << 32 | 0x7f);
    trace_bytes(0x3200);
    wrmsr(MSR_RTIT_CTL, 0);
    check("cached: the entry in use is the old one", !marked(REGION + 0x800) && marked(REGION + 0x8800));
    for (uint64_t n = 1; n < 4; n++) {
        bool old = n <= AHEAD;
        check_n("cached: entry", n, marked(REGION + 0x1000 * n) == !old && marked(REGION + 0x8000 + 0x1000 * n) == old);
    }
}

void tests(void)
{
    pt_reset();
    single_range();
    sizes();
    chain();
    stop();
    errors();
    error_state();
    cached();
}
