/*
 * What the output does at the edges of tables and schemes: END in use when tracing begins, the end of the largest
 * table, FabricEn, PacketByteCnt.
 *
 * Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), "Trace Transport Subsystem" (36.2.6.3), Table 36-7.
 */
#include "regs.h"

#define END 1ull
#define LAST_INDEX 0x1ffffffull
#define LAST_ENTRY (TABLE + 8 * LAST_INDEX)
#define MARK 0x5a5a5a5a5a5a5a5aull

static uint64_t run(uint64_t ctl, uint64_t ptrs, uint32_t nr_bytes)
{
    wrmsr(MSR_RTIT_STATUS, 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, ptrs);
    wrmsr(MSR_RTIT_CTL, ctl);
    trace_bytes(nr_bytes);
    wrmsr(MSR_RTIT_CTL, 0);
    return rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS);
}

/* "The proc_trace_table_offset is reset to 0, as is the proc_trace_output_offset." */
static void from_end(void)
{
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = TABLE_2 | END;
    qwords(TABLE_2)[0] = REGION + 0x1000;
    qwords(TABLE_2)[1] = TABLE | END;
    qwords(REGION + 0x1000)[0] = MARK;
    uint64_t ptrs = run(CTL_TOPA, 0x800ull << 32 | 1 << 7, 16);
    check("from END: no error", !(rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_ERROR));
    check_equal("from END: the next table", rdmsr(MSR_RTIT_OUTPUT_BASE), TABLE_2);
    check("from END: at its first region's first byte", qwords(REGION + 0x1000)[0] != MARK && ptrs >> 32 < 0x100);
}

/* The largest table has 256 MiB; after its last entry, output continues at the first. */
static void largest(void)
{
    qwords(TABLE)[0] = REGION;
    qwords(LAST_ENTRY)[0] = REGION + 0x1000;
    qwords(LAST_ENTRY)[1] = REGION | 2; /* after the table: an error if it were read */
    uint64_t ptrs = run(CTL_TOPA, 0xf00ull << 32 | LAST_INDEX << 7, 0x200);
    check("largest table: no error", !(rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_ERROR));
    check_equal("largest table: the same", rdmsr(MSR_RTIT_OUTPUT_BASE), TABLE);
    check_equal("largest table: its first entry", (uint32_t)ptrs, 0x7f);
}

/* With FabricEn ToPA is ignored: tables are not read, nothing is written to memory, the pointers stay. */
static void fabric(void)
{
    qwords(TABLE)[0] = REGION | 2;
    qwords(REGION)[0] = MARK;
    uint64_t ptrs = run(CTL_TOPA | RTIT_CTL_FABRIC_EN, 0x40ull << 32, 0x2000);
    check_equal("FabricEn: no error", rdmsr(MSR_RTIT_STATUS) & 0x30, 0);
    check_equal("FabricEn: the pointers stay", ptrs, 0x40ull << 32 | 0x7f);
    check_equal("FabricEn: no memory is written", qwords(REGION)[0], MARK);
    check("FabricEn: PacketByteCnt counts", rdmsr(MSR_RTIT_STATUS) >> 32 != 0);
    check("FabricEn without ToPA", !wrmsr_faults(MSR_RTIT_CTL, CTL_TRACE | RTIT_CTL_FABRIC_EN));
    wrmsr(MSR_RTIT_CTL, 0);
}

static uint64_t byte_count(void)
{
    return rdmsr(MSR_RTIT_STATUS) >> 32;
}

/* Bytes since the last PSB: "stable when TraceEn is 0"; 0 begins with a PSB+. */
static void packet_byte_count(void)
{
    qwords(TABLE)[0] = REGION | 5 << 6;
    uint64_t first = run(CTL_TOPA, 0, 64) >> 32;
    uint64_t count = byte_count();
    check("PacketByteCnt: all since the PSB", first - count >= 4 && first - count <= 9); /* MODE.Exec, TIP.PGE */
    check_equal("PacketByteCnt: the same when read again", byte_count(), count);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(64);
    wrmsr(MSR_RTIT_CTL, 0);
    uint64_t second = rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32;
    check_equal("PacketByteCnt: continues when tracing does", byte_count(), count + second - first);
    wrmsr(MSR_RTIT_STATUS, 0x7f0ull << 32);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(0x100);
    wrmsr(MSR_RTIT_CTL, 0);
    check("PacketByteCnt: starts again at the threshold", byte_count() < 0x200);
    wrmsr(MSR_RTIT_STATUS, 0x123ull << 32 | RTIT_STATUS_STOPPED);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(64);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("PacketByteCnt: stays while nothing is traced", byte_count(), 0x123);
}

/* Offsets of the PSBs in what was traced: two bytes, eight times. */
static uint32_t next_psb(uint32_t from, uint32_t end)
{
    for (; from + 16 <= end; from++)
        if (qwords(REGION + from)[0] == 0x8202820282028202 && qwords(REGION + from)[1] == 0x8202820282028202)
            return from;
    return end;
}

/* PSBFreq: 2 KiB << code from one PSB to the next, and the packets that pass the threshold. */
static void psb_frequency(uint32_t supported)
{
    qwords(TABLE)[0] = REGION | 9 << 6;
    for (uint64_t code = 0; code < 16; code++) {
        uint32_t period = 2048u << code;
        if (!(supported >> code & 1) || period > 0x10000)
            continue;
        uint32_t end = (uint32_t)(run(CTL_TOPA | code << RTIT_CTL_PSB_FREQ_SHIFT, 0, 4 * period) >> 32);
        uint32_t first = next_psb(0, end), second = next_psb(first + 16, end), third = next_psb(second + 16, end);
        check_n("PSBFreq: the first at the start", code, first < 16);
        check_n("PSBFreq: the second after the period", code, second - first >= period && second - first < period + 32);
        check_n("PSBFreq: and the third", code, third - second >= period && third - second < period + 32);
    }
}

/* "No error is signaled for this case" (36.2.6.4): the bytes go nowhere. */
static void apic_page(void)
{
    uint32_t lint0 = *apic(0x350);
    qwords(TABLE)[0] = 0xfee00000;
    uint64_t ptrs = run(CTL_TOPA, 0x300ull << 32, 0x200);
    check_equal("output to the APIC's page: no error", rdmsr(MSR_RTIT_STATUS) & 0x30, 0);
    check("output to the APIC's page: the pointers move", ptrs >> 32 >= 0x500);
    check_equal("output to the APIC's page: it stays", *apic(0x350), lint0);
}

void tests(void)
{
    uint32_t words[4], periods[4];
    cpuid(0x14, 0, words);
    pt_reset();
    from_end();
    largest();
    packet_byte_count();
    cpuid(0x14, 1, periods);
    psb_frequency(periods[1] >> 16);
    apic_page();
    if (words[2] & 1 << 3)
        fabric();
    pt_reset();
}
