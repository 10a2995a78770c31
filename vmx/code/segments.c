/* Kind: shell */
/*
 * Code segments with a base, and 16-bit code.
 *
 * Intel PT does not report CS.base. IP packets contain either IPs relative to it (CPUID.14H:ECX[31] = 0) or linear
 * addresses, which do not show where a near branch with a 16-bit operand wraps around (SDM "IP Payload Type"). Far
 * transfers change it without a VM exit. So a CPU whose code segment is not a flat 32- or 64-bit one is single-stepped,
 * and each new base is recorded, until its segment is flat again. Then the pages that it has executed meanwhile lose
 * execute permission: the next fetch from one of them exits, before an instruction is executed.
 *
 * Boot loaders that call the BIOS leave protected mode by code on pages that flat code executes as well: where the BIOS
 * is part of the guest, clearing CR0.PE exits while the CPU is not stepped. The few instructions before that were
 * executed in a 16-bit segment whose base no exit has seen. If all code segments of the GDT that are not flat have the
 * base that CS has now, the record says so (RECORD_SEGMENT_SOLE).
 *
 * A page that flat code executes stays executable. Else, if such a page is entered through a segment with a base, this
 * is noticed at the next VM exit only; the decoder reports a gap (decode/engine/segment.c).
 */
#include "vmx/code/segments.h"

#include "base/control.h"
#include "vmx/code/code.h"
#include "vmx/code/descriptors.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/step.h"
#include "vmx/ept/view.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/kick.h"

#define GDT_BYTES_MAX 512u

static bool has_default_32(void)
{
    return vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB;
}

/* After CR0.PE was cleared, CS remains as it was until the next far transfer. */
static bool is_flat(void)
{
    return guest_code64() ||
           (has_default_32() && vmreadn(VMCS_GUEST_CS_BASE) == 0 && (vmreadn(VMCS_GUEST_CR0) & CR0_PE));
}

static void segment_send(struct cpu *cpu, uint32_t flags)
{
    const bool wide = guest_code64();
    const struct record_segment record = {.base = wide ? 0 : (uint32_t)vmreadn(VMCS_GUEST_CS_BASE),
                                          .mode = wide               ? 64
                                                  : has_default_32() ? 32
                                                                     : 16,
                                          .flags = flags};

    pt_record(cpu->pt, RECORD_SEGMENT, &record, sizeof record, NULL, 0);
}

/* The next fetch exits, but need not send the page again. The machine's lock is held. */
static void page_close(struct cpu *cpu, uint64_t gpa)
{
    if (!(ept_lookup(gpa) & EPT_EXECUTE))
        return;
    ept_set_access(gpa, EPT_READ | EPT_SENT);
    kick_ept_changed(cpu);
    ept_invalidate(cpu);
}

void segments_fetched(struct cpu *cpu, uint64_t gpa)
{
    struct code_segments_cpu *segments = &code_of(cpu)->segments;

    if (is_flat())
        return;
    segments->look = true;
    for (uint32_t i = 0; i < NR_SEGMENT_PAGES; i++)
        if (segments->pages[i] == gpa + 1)
            return;
    uint64_t *slot = &segments->pages[segments->next++ % NR_SEGMENT_PAGES];
    if (*slot)
        page_close(cpu, *slot - 1);
    *slot = gpa + 1;
}

void segments_faulted(struct cpu *cpu)
{
    if (!is_flat())
        code_of(cpu)->segments.look = true;
}

/* Not the page that flat code is about to execute: it would exit and become executable again, and each exit for a page
 * waits for other CPUs that send pages meanwhile. */
static void pages_close(struct cpu *cpu)
{
    struct code_segments_cpu *segments = &code_of(cpu)->segments;
    const uint64_t next = (guest_translate(guest_linear_rip()) & EPT_PAGE_MASK) + 1;
    bool locked = false;

    for (uint32_t i = 0; i < NR_SEGMENT_PAGES; i++) {
        if (segments->pages[i] && segments->pages[i] != next) {
            if (!locked)
                machine_lock(cpu);
            locked = true;
            page_close(cpu, segments->pages[i] - 1);
        }
        segments->pages[i] = 0;
    }
    if (locked)
        machine_unlock(cpu);
}

/* PE is 1 now. While it is ours, the guest reads it from the shadow. */
static void protected_mode_watch(bool on)
{
    const uint64_t mask = vmreadn(VMCS_CR0_GUEST_HOST_MASK);

    vmwriten(VMCS_CR0_GUEST_HOST_MASK, on ? mask | CR0_PE : mask & ~CR0_PE);
    if (on)
        vmwriten(VMCS_CR0_READ_SHADOW, vmreadn(VMCS_CR0_READ_SHADOW) | CR0_PE);
}

void code_protected_mode_ends(struct cpu *cpu)
{
    protected_mode_watch(false);
    code_of(cpu)->segments.leaves = code_of(cpu)->segments.look = machine.config.code_pages;
}

/* Is this the only base of segments that are not flat? A larger table is not searched. */
static bool is_sole_base(uint32_t base)
{
    uint8_t table[GDT_BYTES_MAX];
    const uint32_t bytes = vmread32(VMCS_GUEST_GDTR_LIMIT) + 1;

    return bytes <= sizeof table && guest_memory_read(table, vmreadn(VMCS_GUEST_GDTR_BASE), bytes) == bytes &&
           descriptors_share_base(table, bytes, base);
}

static __attribute__((cold, noinline)) void stepping_end(struct cpu *cpu)
{
    struct code_segments_cpu *segments = &code_of(cpu)->segments;

    pages_close(cpu);
    segments->stepped = segments->look = false;
    segment_send(cpu, segments->loaded ? RECORD_SEGMENT_LOADED : 0);
    if (machine.config.bios.handler && !guest_code64())
        protected_mode_watch(true);
}

static __attribute__((cold, noinline)) void step_on(struct cpu *cpu)
{
    struct code_segments_cpu *segments = &code_of(cpu)->segments;
    const uint32_t base = (uint32_t)vmreadn(VMCS_GUEST_CS_BASE);

    if (!segments->stepped || base != segments->base)
        segment_send(cpu, RECORD_SEGMENT_STEPPED | (segments->loaded ? RECORD_SEGMENT_LOADED : 0) |
                              (segments->leaves && is_sole_base(base) ? RECORD_SEGMENT_SOLE : 0));
    segments->stepped = segments->look = true;
    segments->leaves = false;
    segments->base = base;
    step_begin(cpu, NULL);
}

void code_segment_loaded(struct cpu *cpu)
{
    code_of(cpu)->segments.loaded = code_of(cpu)->segments.look = machine.config.code_pages;
}

void code_segments_check(struct cpu *cpu)
{
    if (!machine.config.code_pages)
        return;
    if (!is_flat() || code_of(cpu)->segments.leaves)
        step_on(cpu);
    else if (code_of(cpu)->segments.stepped)
        stepping_end(cpu);
    code_of(cpu)->segments.loaded = false;
    code_of(cpu)->segments.look = code_of(cpu)->segments.stepped;
}
