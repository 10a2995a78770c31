/* Kind: shell */
#include "vmx/vmcs/setup.h"

#include "base/control.h"
#include "base/msr.h"

#include "base/init.h"
#include "base/phys.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/entry.h"
#include "vmx/cpu/proc_control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/view.h"
#include "vmx/policy/msr_policy.h"
#include "vmx/vmcs/bitmaps.h"

#define DR7_FIXED 0x400u
#define RIP_AFTER_INIT 0xfff0u
#define NO_VMCS_LINK (~0ull)

/* SDM Table "Format of Access Rights" */
#define AR_CODE32 0xc09bu /* present, 4-KByte granularity, 32-bit, execute/read, accessed */
#define AR_DATA32 0xc093u /* ... read/write, accessed */
#define AR_TSS32_BUSY 0x008bu
#define AR_UNUSABLE 0x10000u
#define AR_CODE16 0x009bu
#define AR_DATA16 0x0093u
#define AR_LDT 0x0082u
#define LIMIT_16 0xffffu

/* Linux's 32-bit boot protocol: __BOOT_CS and __BOOT_DS. */
#define BOOT_CS 0x10u
#define BOOT_DS 0x18u
#define GDT_CODE32 0x00cf9b000000ffffull
#define GDT_DATA32 0x00cf93000000ffffull

/* Fields that are 0 at first, of any width. */
static const uint16_t zero_fields[] = {
    VMCS_HOST_FS_SELECTOR,
    VMCS_HOST_GS_SELECTOR,
    VMCS_HOST_FS_BASE,
    VMCS_HOST_IA32_SYSENTER_CS,
    VMCS_HOST_IA32_SYSENTER_ESP,
    VMCS_HOST_IA32_SYSENTER_EIP,
    VMCS_GUEST_IDTR_BASE,
    VMCS_GUEST_IDTR_LIMIT,
    VMCS_CR0_READ_SHADOW,
    VMCS_CR4_READ_SHADOW,
    VMCS_GUEST_CR3,
    VMCS_GUEST_RSP,
    VMCS_GUEST_IA32_DEBUGCTL,
    VMCS_GUEST_IA32_EFER,
    VMCS_GUEST_IA32_SYSENTER_CS,
    VMCS_GUEST_IA32_SYSENTER_ESP,
    VMCS_GUEST_IA32_SYSENTER_EIP,
    VMCS_GUEST_INTERRUPTIBILITY_STATE,
    VMCS_GUEST_ACTIVITY_STATE,
    VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS,
    VMCS_EXCEPTION_BITMAP,
    VMCS_PAGE_FAULT_ERROR_CODE_MASK,
    VMCS_PAGE_FAULT_ERROR_CODE_MATCH,
    VMCS_CR3_TARGET_COUNT,
    VMCS_EXIT_MSR_STORE_COUNT,
    VMCS_ENTRY_INTERRUPTION_INFORMATION,
};

struct __attribute__((packed)) table_register {
    uint16_t limit;
    uint64_t base;
};

#define READ_SELECTOR(name)                                                                                            \
    ({                                                                                                                 \
        uint16_t selector_;                                                                                            \
        __asm__ volatile("mov %%" name ", %0" : "=r"(selector_));                                                      \
        selector_;                                                                                                     \
    })

#define READ_CR(name)                                                                                                  \
    ({                                                                                                                 \
        uint64_t cr_;                                                                                                  \
        __asm__ volatile("mov %%" name ", %0" : "=r"(cr_));                                                            \
        cr_;                                                                                                           \
    })

/* SDM "TSS Descriptor in 64-bit mode": the base is in four parts of its 16 bytes. */
static uint64_t tss_base(uint64_t gdt_base, uint16_t selector)
{
    const uint64_t *descriptor = (const uint64_t *)(uintptr_t)(gdt_base + (selector & ~7u));
    const uint64_t low = descriptor[0];

    return (low >> 16 & 0xffffff) | (low >> 56 & 0xff) << 24 | (descriptor[1] & 0xffffffff) << 32;
}

static void setup_host_segments(struct cpu *cpu)
{
    struct table_register gdtr, idtr;
    uint16_t tr;

    __asm__ volatile("sgdt %0" : "=m"(gdtr));
    __asm__ volatile("sidt %0" : "=m"(idtr));
    __asm__ volatile("str %0" : "=r"(tr));
    vmwrite16(VMCS_HOST_CS_SELECTOR, READ_SELECTOR("cs"));
    vmwrite16(VMCS_HOST_SS_SELECTOR, READ_SELECTOR("ss"));
    vmwrite16(VMCS_HOST_DS_SELECTOR, READ_SELECTOR("ds"));
    vmwrite16(VMCS_HOST_ES_SELECTOR, READ_SELECTOR("es"));
    vmwrite16(VMCS_HOST_TR_SELECTOR, tr);
    vmwriten(VMCS_HOST_GS_BASE, (uint64_t)(uintptr_t)cpu);
    vmwriten(VMCS_HOST_TR_BASE, tss_base(gdtr.base, tr));
    vmwriten(VMCS_HOST_GDTR_BASE, gdtr.base);
    vmwriten(VMCS_HOST_IDTR_BASE, idtr.base);
}

static void setup_host(struct cpu *cpu)
{
    setup_host_segments(cpu);
    vmwriten(VMCS_HOST_CR0, READ_CR("cr0"));
    vmwriten(VMCS_HOST_CR3, READ_CR("cr3"));
    vmwriten(VMCS_HOST_CR4, READ_CR("cr4"));
    vmwriten(VMCS_HOST_RSP, (uint64_t)(uintptr_t)(cpu->stack + CPU_STACK_SIZE));
    vmwriten(VMCS_HOST_RIP, (uint64_t)(uintptr_t)vmx_exit_entry);
    vmwrite64(VMCS_HOST_IA32_PAT, msr_read(IA32_PAT));
    vmwrite64(VMCS_HOST_IA32_EFER, msr_read(IA32_EFER));
    if (cpu->controls.perf_global_ctrl)
        vmwrite64(VMCS_HOST_IA32_PERF_GLOBAL_CTRL, 0);
}

enum { SEGMENT_ES, SEGMENT_CS, SEGMENT_SS, SEGMENT_DS, SEGMENT_FS, SEGMENT_GS, SEGMENT_LDTR, SEGMENT_TR };

/* The encodings of each segment's selector, base, limit and access rights are 2 apart, starting with ES's. */
static void setup_guest_segment(unsigned index, uint16_t selector, uint32_t limit, uint32_t access_rights)
{
    vmwrite16((enum vmcs16)(VMCS_GUEST_ES_SELECTOR + 2 * index), selector);
    vmwriten((enum vmcsn)(VMCS_GUEST_ES_BASE + 2 * index), 0);
    vmwrite32((enum vmcs32)(VMCS_GUEST_ES_LIMIT + 2 * index), limit);
    vmwrite32((enum vmcs32)(VMCS_GUEST_ES_ACCESS_RIGHTS + 2 * index), access_rights);
}

/* The boot protocol requires a GDT with these segments; the guest may reload them before it has its own. */
static void setup_guest_gdt(uint32_t gdt_pa)
{
    uint64_t *gdt = phys_to_virt(gdt_pa);

    gdt[0] = 0;
    gdt[1] = 0;
    gdt[BOOT_CS / 8] = GDT_CODE32;
    gdt[BOOT_DS / 8] = GDT_DATA32;
    vmwriten(VMCS_GUEST_GDTR_BASE, gdt_pa);
    vmwrite32(VMCS_GUEST_GDTR_LIMIT, BOOT_DS + 7);
}

static void setup_guest_segments(void)
{
    setup_guest_segment(SEGMENT_CS, BOOT_CS, 0xffffffff, AR_CODE32);
    setup_guest_segment(SEGMENT_ES, BOOT_DS, 0xffffffff, AR_DATA32);
    setup_guest_segment(SEGMENT_SS, BOOT_DS, 0xffffffff, AR_DATA32);
    setup_guest_segment(SEGMENT_DS, BOOT_DS, 0xffffffff, AR_DATA32);
    setup_guest_segment(SEGMENT_FS, BOOT_DS, 0xffffffff, AR_DATA32);
    setup_guest_segment(SEGMENT_GS, BOOT_DS, 0xffffffff, AR_DATA32);
    setup_guest_segment(SEGMENT_LDTR, 0, 0, AR_UNUSABLE);
    setup_guest_segment(SEGMENT_TR, 0, 0xffff, AR_TSS32_BUSY); /* VM entry requires a busy TSS */
}

/* Of features that CPUID does not show: setting these bits is #GP (vmx/exit/cr.c). */
#define CR4_HIDDEN (CR4_SMXE | CR4_UINTR | CR4_FRED)

/* With unrestricted guest PE and PG are the guest's. The other bits that must be 1 (NE, VMXE) are ours; the guest reads
 * them as 0. */
void vmcs_setup_guest_control(uint64_t cr0, uint64_t cr4)
{
    const uint64_t cr0_fixed = msr_read(IA32_VMX_CR0_FIXED0) & ~(CR0_PE | CR0_PG);
    const uint64_t cr4_fixed = msr_read(IA32_VMX_CR4_FIXED0) | CR4_VMXE;

    /* VISIBLE: x87 errors come as #MF even where the guest leaves CR0.NE at 0. */
    vmwriten(VMCS_CR0_GUEST_HOST_MASK, cr0_fixed);
    vmwriten(VMCS_GUEST_CR0, cr0_fixed | cr0);
    vmwriten(VMCS_CR4_GUEST_HOST_MASK, cr4_fixed | CR4_HIDDEN);
    vmwriten(VMCS_GUEST_CR4, cr4_fixed | cr4);
}

static void setup_guest(const struct cpu *cpu)
{
    vmwriten(VMCS_GUEST_RFLAGS, RFLAGS_FIXED);
    vmwriten(VMCS_GUEST_DR7, DR7_FIXED);
    vmwrite64(VMCS_GUEST_IA32_PAT, msr_read(IA32_PAT));
    if (cpu->controls.perf_global_ctrl)
        vmwrite64(VMCS_GUEST_IA32_PERF_GLOBAL_CTRL, msr_read(IA32_PERF_GLOBAL_CTRL));
    if (cpu->controls.entry & ENTRY_LOAD_IA32_LBR_CTL)
        vmwrite64(VMCS_GUEST_IA32_LBR_CTL, msr_read(IA32_LBR_CTL));
    vmwrite64(VMCS_LINK_POINTER, NO_VMCS_LINK);
}

/* Linux's 32-bit boot protocol. */
static void setup_guest_boot(const struct vmx_entry *entry)
{
    setup_guest_segments();
    setup_guest_gdt(entry->gdt_pa);
    vmcs_setup_guest_control(CR0_PE | CR0_ET, 0);
    vmwriten(VMCS_GUEST_RIP, entry->eip);
}

/* Vol. 3A Table "IA-32 and Intel 64 Processor States Following Power-up, Reset, or INIT", except for registers that the
 * VMCS does not hold. INIT leaves those that the table does not name: IA32_PAT, the SYSENTER MSRs. */
void vmcs_setup_guest_init(const struct cpu *cpu, uint64_t cr0)
{
    static const uint16_t zeroed[] = {VMCS_CR0_READ_SHADOW,
                                      VMCS_CR4_READ_SHADOW,
                                      VMCS_GUEST_CR3,
                                      VMCS_GUEST_RSP,
                                      VMCS_GUEST_IA32_DEBUGCTL,
                                      VMCS_GUEST_IA32_EFER,
                                      VMCS_GUEST_INTERRUPTIBILITY_STATE,
                                      VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS,
                                      VMCS_GUEST_GDTR_BASE,
                                      VMCS_GUEST_IDTR_BASE};

    for (unsigned i = 0; i < sizeof zeroed / sizeof zeroed[0]; i++)
        vmcs_write(zeroed[i], 0);
    vmwrite32(VMCS_ENTRY_CONTROLS, cpu->controls.entry); /* exits from IA-32e mode have set "IA-32e mode guest" */
    vmwrite32(VMCS_GUEST_GDTR_LIMIT, LIMIT_16);
    vmwrite32(VMCS_GUEST_IDTR_LIMIT, LIMIT_16);
    for (unsigned segment = SEGMENT_ES; segment <= SEGMENT_GS; segment++)
        setup_guest_segment(segment, 0, LIMIT_16, segment == SEGMENT_CS ? AR_CODE16 : AR_DATA16);
    setup_guest_segment(SEGMENT_LDTR, 0, LIMIT_16, AR_LDT);
    setup_guest_segment(SEGMENT_TR, 0, LIMIT_16, AR_TSS32_BUSY);
    vmcs_setup_guest_control(cr0, 0);
    vmwriten(VMCS_GUEST_RIP, RIP_AFTER_INIT);
    vmwriten(VMCS_GUEST_RFLAGS, RFLAGS_FIXED);
    vmwriten(VMCS_GUEST_DR7, DR7_FIXED);
}

static void setup_controls(struct cpu *cpu)
{
    const struct vmx_controls *controls = &cpu->controls;

    vmwrite32(VMCS_PIN_BASED_CONTROLS, controls->pin);
    proc_control_setup(cpu);
    vmwrite32(VMCS_PROC_BASED_CONTROLS2, controls->proc2);
    vmwrite32(VMCS_EXIT_CONTROLS, controls->exit);
    vmwrite32(VMCS_ENTRY_CONTROLS, controls->entry);
    vmwrite64(VMCS_IO_BITMAP_A, virt_to_phys(bitmap_of_io(0)));
    vmwrite64(VMCS_IO_BITMAP_B, virt_to_phys(bitmap_of_io(1)));
    vmwrite64(VMCS_MSR_BITMAPS, virt_to_phys(bitmap_of_msrs()));
    vmwrite64(VMCS_EPT_POINTER, ept_view_pointer(cpu));
    if (controls->proc2 & PROC2_ENABLE_VPID)
        vmwrite16(VMCS_VPID, VPID_OF_GUEST);
    if (controls->proc2 & PROC2_ENABLE_XSAVES)
        vmwrite64(VMCS_XSS_EXITING_BITMAP, XSS_PT_STATE);
    if (controls->proc2 & PROC2_ENABLE_PCONFIG)
        vmwrite64(VMCS_PCONFIG_EXITING_BITMAP, 0);
}

INIT_CODE void vmcs_setup(struct cpu *cpu, const struct vmx_entry *entry)
{
    for (unsigned i = 0; i < sizeof zero_fields / sizeof zero_fields[0]; i++)
        vmcs_write(zero_fields[i], 0);
    setup_host(cpu);
    setup_guest(cpu);
    if (entry && !entry->running)
        setup_guest_boot(entry);
    else if (!entry)
        vmcs_setup_guest_init(cpu, CR0_CD | CR0_NW | CR0_ET);
    setup_controls(cpu);
}
