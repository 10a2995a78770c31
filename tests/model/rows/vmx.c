/*
 * The least of VMX for rows: a guest that is the host's twin (64-bit mode, CPL 0, same tables and segments), but with
 * OTHER_TABLES in CR3. Source: SDM "VM Entries" (checks of controls, host and guest state), Appendix A and B.
 */
#include <stdint.h>

#include "../selftest/rom.h"
#include "places.h"

#define VMXON_REGION 0x400000ull
#define VMCS_REGION 0x401000ull

void row_vmx_start(uint64_t guest_rip, uint64_t host_rip, uint64_t host_rsp);
void row_vmwrite(uint64_t field, uint64_t value);
void row_vmcs_load(void);

void row_vmwrite(uint64_t field, uint64_t value)
{
    __asm__ volatile("vmwrite %1, %0" : : "r"(field), "r"(value) : "cc");
}

/* A control field: what must be 1, and of what is wanted what may be. */
static void control(uint64_t field, uint32_t capability_msr, uint32_t wanted)
{
    uint64_t capability = rdmsr(capability_msr);
    row_vmwrite(field, (wanted | (uint32_t)capability) & (uint32_t)(capability >> 32));
}

static void controls(void)
{
    control(0x4000, 0x48d, 0);                  /* pin-based */
    control(0x4002, 0x48e, 1u << 31);           /* primary; secondary controls are active */
    control(0x401e, 0x48b, 0);                  /* secondary */
    control(0x400c, 0x48f, 1u << 9 | 1u << 21); /* exit: 64-bit host, load IA32_EFER */
    control(0x4012, 0x490, 1u << 9 | 1u << 15); /* entry: 64-bit guest, load IA32_EFER */
    row_vmwrite(0x4004, 0);                     /* exception bitmap */
    row_vmwrite(0x2800, ~0ull);                 /* link pointer */
    for (uint64_t field = 0x400e; field <= 0x4016; field += 2)
        if (field != 0x4012)
            row_vmwrite(field, 0); /* counts of the MSR lists; no event is injected */
}

struct pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static void tables_and_registers(struct pointer gdtr, struct pointer idtr)
{
    uint64_t cr0, cr4, efer = rdmsr(0xc0000080);
    __asm__ volatile("movq %%cr0, %0\n\tmovq %%cr4, %1" : "=r"(cr0), "=r"(cr4));
    row_vmwrite(0x6800, cr0);
    row_vmwrite(0x6802, OTHER_TABLES);
    row_vmwrite(0x6804, cr4);
    row_vmwrite(0x6c00, cr0);
    row_vmwrite(0x6c02, TABLES);
    row_vmwrite(0x6c04, cr4);
    row_vmwrite(0x2806, efer);
    row_vmwrite(0x2c02, efer);
    row_vmwrite(0x6816, gdtr.base);
    row_vmwrite(0x4810, gdtr.limit);
    row_vmwrite(0x6818, idtr.base);
    row_vmwrite(0x4812, idtr.limit);
    row_vmwrite(0x6c0c, gdtr.base);
    row_vmwrite(0x6c0e, idtr.base);
}

static void segments(struct pointer gdtr)
{
    static const uint16_t selectors[6] = {DATA64, CODE64, DATA64, DATA64, DATA64, DATA64}; /* ES CS SS DS FS GS */
    const uint8_t *tss = (const uint8_t *)gdtr.base + 0x48;
    uint64_t tss_base = tss[2] | (uint64_t)tss[3] << 8 | (uint64_t)tss[4] << 16 | (uint64_t)tss[7] << 24;
    for (uint64_t n = 0; n < 6; n++) {
        row_vmwrite(0x800 + 2 * n, selectors[n]);
        row_vmwrite(0x4800 + 2 * n, 0xffffffff);
        row_vmwrite(0x4814 + 2 * n, n == 1 ? 0xa09b : 0xc093);
        row_vmwrite(0x6806 + 2 * n, 0);
        row_vmwrite(0xc00 + 2 * n, selectors[n]);
    }
    row_vmwrite(0x80c, 0); /* LDTR: unusable */
    row_vmwrite(0x480c, 0);
    row_vmwrite(0x4820, 0x10000);
    row_vmwrite(0x6812, 0);
    row_vmwrite(0x80e, 0x48);
    row_vmwrite(0x480e, 0x67);
    row_vmwrite(0x4822, 0x8b);
    row_vmwrite(0x6814, tss_base);
    row_vmwrite(0xc0c, 0x48);
    row_vmwrite(0x6c0a, tss_base);
    row_vmwrite(0x6c06, 0); /* FS, GS */
    row_vmwrite(0x6c08, 0);
}

/* VMX operation, if it is not on yet; and the VMCS is current. */
void row_vmcs_load(void)
{
    static uint64_t vmcs = VMCS_REGION;
    __asm__ volatile("vmptrld %0" : : "m"(vmcs) : "cc", "memory");
}

/* Into VMX operation, with a VMCS that is clear and current. VMLAUNCH goes to guest_rip, a VM exit to host_rip. */
void row_vmx_start(uint64_t guest_rip, uint64_t host_rip, uint64_t host_rsp)
{
    static uint64_t vmxon = VMXON_REGION, vmcs = VMCS_REGION;
    uint64_t cr4, cr0;
    if (!(rdmsr(0x3a) & 1))
        wrmsr(0x3a, 5);
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | 1u << 13));
    __asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movq %0, %%cr0" : : "r"(cr0 | rdmsr(0x486)));
    *(volatile uint32_t *)VMXON_REGION = *(volatile uint32_t *)VMCS_REGION = (uint32_t)rdmsr(0x480);
    __asm__ volatile("vmxon %0" : : "m"(vmxon) : "cc", "memory");
    __asm__ volatile("vmclear %0" : : "m"(vmcs) : "cc", "memory");
    row_vmcs_load();
    struct pointer gdtr, idtr;
    __asm__ volatile("sgdt %0\n\tsidt %1" : "=m"(gdtr), "=m"(idtr));
    controls();
    tables_and_registers(gdtr, idtr);
    segments(gdtr);
    row_vmwrite(0x681c, 0x6c000); /* RSP */
    row_vmwrite(0x681e, guest_rip);
    row_vmwrite(0x6820, 2);
    row_vmwrite(0x681a, 0x400); /* DR7 */
    row_vmwrite(0x4824, 0);     /* interruptibility, activity, pending debug exceptions, IA32_DEBUGCTL */
    row_vmwrite(0x4826, 0);
    row_vmwrite(0x6822, 0);
    row_vmwrite(0x2802, 0);
    row_vmwrite(0x6c14, host_rsp);
    row_vmwrite(0x6c16, host_rip);
}
