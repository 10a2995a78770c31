/*
 * The engine's shell on several CPUs, with fakes of its instructions, of LVTPC and of the channel. For one test, and
 * included there once: the shell is compiled into it, with what follows for base/msr.h.
 */
#ifndef TESTS_UNIT_PT_FAKE_ENGINE_H
#define TESTS_UNIT_PT_FAKE_ENGINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BASE_MSR_H
#include "base/msr_numbers.h"
#include "pt/rtit.h"

#define NR_CPUS 3u
#define REGION_BYTES 4096u
#define NR_REGIONS 6u

/* --- the processor --------------------------------------------------------------------------------------------------
 */

struct fake_cpu {
    uint64_t base, ptrs, status, ctl, perf_status;
    bool lvtpc_masked, lvtpc_changed;
};

static struct fake_cpu fake_cpus[NR_CPUS];
static unsigned running;    /* the CPU whose instructions are executed */
static bool registers_shut; /* none of them may be of PT */
static uint64_t fake_tsc;

static uint64_t *fake_msr(uint32_t msr)
{
    static uint64_t other;
    struct fake_cpu *cpu = &fake_cpus[running];
    assert_false(registers_shut);
    switch (msr) {
    case IA32_RTIT_OUTPUT_BASE:
        return &cpu->base;
    case IA32_RTIT_OUTPUT_MASK_PTRS:
        return &cpu->ptrs;
    case IA32_RTIT_STATUS:
        return &cpu->status;
    case IA32_RTIT_CTL:
        return &cpu->ctl;
    case IA32_PERF_GLOBAL_STATUS:
        return &cpu->perf_status;
    default:
        other = msr == IA32_VMX_MISC ? VMX_MISC_PT_IN_VMX : 0;
        return &other;
    }
}

static uint64_t msr_read(uint32_t msr)
{
    return *fake_msr(msr);
}

static void msr_write(uint32_t msr, uint64_t value)
{
    if (msr == IA32_PERF_GLOBAL_STATUS_RESET)
        fake_cpus[running].perf_status &= ~value;
    else
        *fake_msr(msr) = value;
}

static uint64_t tsc_read(void)
{
    return fake_tsc += 10;
}

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

static struct cpuid_regs cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    switch (leaf) {
    case 0:
        return (struct cpuid_regs){.eax = 0x15};
    case 1:
        return (struct cpuid_regs){.ecx = 1u << 5};
    case 7:
        return (struct cpuid_regs){.ebx = CPUID_7_EBX_PT};
    case 0x14:
        return (struct cpuid_regs){.eax = 1, .ebx = 0xf, .ecx = 7};
    case 0x80000000:
        return (struct cpuid_regs){.eax = 0x80000008};
    case 0x80000008:
        return (struct cpuid_regs){.eax = 39};
    default:
        return (struct cpuid_regs){.eax = 0};
    }
}

#include "pt/lvtpc.h"

bool lvtpc_guard(void)
{
    bool changed = fake_cpus[running].lvtpc_changed;
    fake_cpus[running].lvtpc_changed = false;
    return !changed;
}

bool lvtpc_unmask(void)
{
    bool masked = fake_cpus[running].lvtpc_masked;
    fake_cpus[running].lvtpc_masked = false;
    return masked;
}

#include "base/clock.h"

uint64_t clock_tsc_hz(void)
{
    return 3000000000u;
}

static unsigned panics;
static void fake_panic(const char *format, ...)
{
    (void)format;
    panics++;
}

#include "base/log.h"
#define log_panic fake_panic

#include "pt/channel_cut.c"
#include "pt/command.c"
#include "pt/drain.c"
#include "pt/engine.c"
#include "pt/flush.c"
#include "pt/gap_record.c"
#include "pt/pause.c"
#include "pt/pmi.c"
#include "pt/record.c"
#include "pt/registers.c"
#include "pt/setup.c"
#include "pt/soft_hooks.c"
#include "tests/unit/serial/sink_ops.h"

/* --- the channel ----------------------------------------------------------------------------------------------------
 */

struct fake_stream {
    uint8_t records[65536];
    uint32_t used;
    uint64_t trace_end, released;
};

static struct fake_stream streams[NR_CPUS];
static bool receiver_answers;
static struct command_box box;

static bool fake_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    (void)sink, (void)va, (void)pa;
    assert_int_equal(offset, streams[cpu].trace_end);
    streams[cpu].trace_end += size;
    return true;
}

static bool fake_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    struct fake_stream *stream = &streams[cpu];
    (void)sink;
    for (uint32_t i = 0; i < nr; i++) {
        assert_true(stream->used + pieces[i].size <= sizeof(stream->records));
        memcpy(stream->records + stream->used, pieces[i].bytes, pieces[i].size);
        stream->used += pieces[i].size;
    }
    return true;
}

static uint64_t fake_released(const struct sink *sink, uint16_t cpu)
{
    (void)sink;
    return streams[cpu].released;
}

static void fake_poll(struct sink *sink)
{
    (void)sink;
    for (unsigned cpu = 0; receiver_answers && cpu < NR_CPUS; cpu++)
        streams[cpu].released = streams[cpu].trace_end;
}

static bool fake_delivered(struct sink *sink)
{
    fake_poll(sink);
    return receiver_answers;
}

static bool fake_busy(const struct sink *sink)
{
    (void)sink;
    return !receiver_answers;
}

static struct command_box *fake_commands(struct sink *sink)
{
    (void)sink;
    return &box;
}

static const struct sink_ops fake_ops = FAKE_SINK_OPS;

/* The nth record of a kind in a CPU's stream, from 0; NULL: there is none. */
static const struct record_header *record_of(unsigned cpu, enum record_kind kind, unsigned nth)
{
    const struct fake_stream *stream = &streams[cpu];
    for (uint32_t at = 0; at < stream->used;) {
        const struct record_header *header = (const void *)(stream->records + at);
        assert_int_equal(header->cpu, cpu);
        if (header->kind == kind && nth-- == 0)
            return header;
        at += (uint32_t)sizeof(*header) + ((header->length + 7) & ~7u);
        assert_true(at <= stream->used);
    }
    return NULL;
}

static unsigned records_of(unsigned cpu, enum record_kind kind)
{
    unsigned nr = 0;
    while (record_of(cpu, kind, nr))
        nr++;
    return nr;
}

static bool text_has(const struct record_header *header, const char *words)
{
    char text[2048] = "";
    assert_non_null(header);
    assert_true(header->length < sizeof(text));
    memcpy(text, header + 1, header->length);
    return strstr(text, words) != NULL;
}

/* --- the machine ----------------------------------------------------------------------------------------------------
 */

static struct sink sink = {.ops = &fake_ops, .nr_cpus = NR_CPUS};
static struct pt_engine *engines[NR_CPUS];

static bool fake_parser(struct pt_options *config, const char *text, char *why, size_t size)
{
    if (strcmp(text, "policy=drop")) {
        snprintf(why, size, "no");
        return false;
    }
    config->policy = PT_POLICY_DROP;
    return true;
}

static int machine_setup(void **state)
{
    static _Alignas(4096) uint8_t memory[NR_CPUS][PT_ENGINE_SIZE];
    static _Alignas(4096) uint8_t regions[NR_CPUS][NR_REGIONS * REGION_BYTES];
    const struct pt_options config = {.enabled = true,
                                      .stop = true,
                                      .region_bytes = REGION_BYTES,
                                      .nr_regions = NR_REGIONS,
                                      .os = true,
                                      .user = true};
    (void)state;
    memset(fake_cpus, 0, sizeof(fake_cpus));
    memset(streams, 0, sizeof(streams));
    memset(&box, 0, sizeof(box));
    memset(&commanded, 0, sizeof(commanded));
    receiver_answers = true, registers_shut = false, panics = 0;
    for (running = 0; running < NR_CPUS; running++) {
        const struct pt_region_memory memory_of_regions = {regions[running], 0x1000000 + running * 0x100000};
        engines[running] = pt_engine_init(memory[running], 0x2000000 + running * 0x100000, (uint16_t)running, &config,
                                          memory_of_regions, &sink);
        assert_true(pt_engine_tracing(engines[running], NULL));
        pt_options_parser_set(engines[running], fake_parser);
    }
    running = 0;
    return 0;
}

/* The guest of the running CPU runs until so many bytes have been written in all, and exits. */
static void guest_writes(uint64_t written)
{
    struct pt_engine *pt = engines[running];
    assert_true(pt_enter(pt) & RTIT_CTL_TRACE_EN);
    struct topa_ptrs ptrs = {.table_pa = fake_cpus[running].base,
                             .index = (uint32_t)(written / REGION_BYTES % NR_REGIONS),
                             .offset = (uint32_t)(written % REGION_BYTES)};
    fake_cpus[running].ptrs = topa_ptrs_pack(ptrs);
    pt_exit(pt);
}

static void command_comes(enum command_opcode opcode, const char *text)
{
    struct command *command = &box.items[box.tail++ % COMMAND_BOX_SLOTS];
    *command = (struct command){.number = 100 + box.tail, .opcode = (uint16_t)opcode};
    strcpy(command->text, text);
    box.taken++;
    fake_tsc += 1000000; /* long enough for the next entry to look */
}

#endif
