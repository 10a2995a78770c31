/*
 * The VMCS: field encodings under the manual's headings, and accessors that match a field's width at compile time.
 *
 * Source: SDM Appendix B, "Field Encoding in VMCS"; Chapter "Virtual Machine Control Structures". There is one
 * enum for each width, so that -Wenum-conversion finds a field that is passed to the accessor of another width.
 */
#ifndef VMX_VMCS_H
#define VMX_VMCS_H

#include <stdint.h>

enum vmcs16 {
    /* Control fields */
    VMCS_VPID = 0x0000,
    /* Guest-state fields */
    VMCS_GUEST_ES_SELECTOR = 0x0800,
    VMCS_GUEST_CS_SELECTOR = 0x0802,
    VMCS_GUEST_SS_SELECTOR = 0x0804,
    VMCS_GUEST_DS_SELECTOR = 0x0806,
    VMCS_GUEST_FS_SELECTOR = 0x0808,
    VMCS_GUEST_GS_SELECTOR = 0x080a,
    VMCS_GUEST_LDTR_SELECTOR = 0x080c,
    VMCS_GUEST_TR_SELECTOR = 0x080e,
    /* Host-state fields */
    VMCS_HOST_ES_SELECTOR = 0x0c00,
    VMCS_HOST_CS_SELECTOR = 0x0c02,
    VMCS_HOST_SS_SELECTOR = 0x0c04,
    VMCS_HOST_DS_SELECTOR = 0x0c06,
    VMCS_HOST_FS_SELECTOR = 0x0c08,
    VMCS_HOST_GS_SELECTOR = 0x0c0a,
    VMCS_HOST_TR_SELECTOR = 0x0c0c
};

enum vmcs64 {
    /* Control fields */
    VMCS_IO_BITMAP_A = 0x2000,
    VMCS_IO_BITMAP_B = 0x2002,
    VMCS_MSR_BITMAPS = 0x2004,
    VMCS_EXIT_MSR_LOAD_ADDRESS = 0x2008,
    VMCS_ENTRY_MSR_LOAD_ADDRESS = 0x200a,
    VMCS_EPT_POINTER = 0x201a,
    VMCS_XSS_EXITING_BITMAP = 0x202c,
    VMCS_PCONFIG_EXITING_BITMAP = 0x203e,
    /* Read-only data field */
    VMCS_GUEST_PHYSICAL_ADDRESS = 0x2400,
    /* Guest-state fields */
    VMCS_LINK_POINTER = 0x2800,
    VMCS_GUEST_IA32_DEBUGCTL = 0x2802,
    VMCS_GUEST_IA32_RTIT_CTL = 0x2814,
    VMCS_GUEST_IA32_PAT = 0x2804,
    VMCS_GUEST_IA32_EFER = 0x2806,
    VMCS_GUEST_IA32_PERF_GLOBAL_CTRL = 0x2808,
    VMCS_GUEST_IA32_LBR_CTL = 0x2816,
    VMCS_GUEST_PDPTE0 = 0x280a,
    /* Host-state fields */
    VMCS_HOST_IA32_PAT = 0x2c00,
    VMCS_HOST_IA32_EFER = 0x2c02,
    VMCS_HOST_IA32_PERF_GLOBAL_CTRL = 0x2c04
};

enum vmcs32 {
    /* Control fields */
    VMCS_PIN_BASED_CONTROLS = 0x4000,
    VMCS_PROC_BASED_CONTROLS = 0x4002,
    VMCS_EXCEPTION_BITMAP = 0x4004,
    VMCS_PAGE_FAULT_ERROR_CODE_MASK = 0x4006,
    VMCS_PAGE_FAULT_ERROR_CODE_MATCH = 0x4008,
    VMCS_CR3_TARGET_COUNT = 0x400a,
    VMCS_EXIT_CONTROLS = 0x400c,
    VMCS_EXIT_MSR_STORE_COUNT = 0x400e,
    VMCS_EXIT_MSR_LOAD_COUNT = 0x4010,
    VMCS_ENTRY_CONTROLS = 0x4012,
    VMCS_ENTRY_MSR_LOAD_COUNT = 0x4014,
    VMCS_ENTRY_INTERRUPTION_INFORMATION = 0x4016,
    VMCS_ENTRY_EXCEPTION_ERROR_CODE = 0x4018,
    VMCS_ENTRY_INSTRUCTION_LENGTH = 0x401a,
    VMCS_PROC_BASED_CONTROLS2 = 0x401e,
    /* Read-only data fields */
    VMCS_INSTRUCTION_ERROR = 0x4400,
    VMCS_EXIT_REASON = 0x4402,
    VMCS_EXIT_INTERRUPTION_INFORMATION = 0x4404,
    VMCS_EXIT_INTERRUPTION_ERROR_CODE = 0x4406,
    VMCS_IDT_VECTORING_INFORMATION = 0x4408,
    VMCS_IDT_VECTORING_ERROR_CODE = 0x440a,
    VMCS_EXIT_INSTRUCTION_LENGTH = 0x440c,
    VMCS_EXIT_INSTRUCTION_INFORMATION = 0x440e,
    /* Guest-state fields */
    VMCS_GUEST_ES_LIMIT = 0x4800,
    VMCS_GUEST_CS_LIMIT = 0x4802,
    VMCS_GUEST_SS_LIMIT = 0x4804,
    VMCS_GUEST_DS_LIMIT = 0x4806,
    VMCS_GUEST_FS_LIMIT = 0x4808,
    VMCS_GUEST_GS_LIMIT = 0x480a,
    VMCS_GUEST_LDTR_LIMIT = 0x480c,
    VMCS_GUEST_TR_LIMIT = 0x480e,
    VMCS_GUEST_GDTR_LIMIT = 0x4810,
    VMCS_GUEST_IDTR_LIMIT = 0x4812,
    VMCS_GUEST_ES_ACCESS_RIGHTS = 0x4814,
    VMCS_GUEST_CS_ACCESS_RIGHTS = 0x4816,
    VMCS_GUEST_SS_ACCESS_RIGHTS = 0x4818,
    VMCS_GUEST_DS_ACCESS_RIGHTS = 0x481a,
    VMCS_GUEST_FS_ACCESS_RIGHTS = 0x481c,
    VMCS_GUEST_GS_ACCESS_RIGHTS = 0x481e,
    VMCS_GUEST_LDTR_ACCESS_RIGHTS = 0x4820,
    VMCS_GUEST_TR_ACCESS_RIGHTS = 0x4822,
    VMCS_GUEST_INTERRUPTIBILITY_STATE = 0x4824,
    VMCS_GUEST_ACTIVITY_STATE = 0x4826,
    VMCS_GUEST_IA32_SYSENTER_CS = 0x482a,
    VMCS_GUEST_PREEMPTION_TIMER_VALUE = 0x482e,
    /* Host-state field */
    VMCS_HOST_IA32_SYSENTER_CS = 0x4c00
};

/* Natural width: 64 bits here. */
enum vmcsn {
    /* Control fields */
    VMCS_CR0_GUEST_HOST_MASK = 0x6000,
    VMCS_CR4_GUEST_HOST_MASK = 0x6002,
    VMCS_CR0_READ_SHADOW = 0x6004,
    VMCS_CR4_READ_SHADOW = 0x6006,
    VMCS_CR3_TARGET_VALUE_0 = 0x6008,
    /* Read-only data fields */
    VMCS_EXIT_QUALIFICATION = 0x6400,
    VMCS_GUEST_LINEAR_ADDRESS = 0x640a,
    /* Guest-state fields */
    VMCS_GUEST_CR0 = 0x6800,
    VMCS_GUEST_CR3 = 0x6802,
    VMCS_GUEST_CR4 = 0x6804,
    VMCS_GUEST_ES_BASE = 0x6806,
    VMCS_GUEST_CS_BASE = 0x6808,
    VMCS_GUEST_SS_BASE = 0x680a,
    VMCS_GUEST_DS_BASE = 0x680c,
    VMCS_GUEST_FS_BASE = 0x680e,
    VMCS_GUEST_GS_BASE = 0x6810,
    VMCS_GUEST_LDTR_BASE = 0x6812,
    VMCS_GUEST_TR_BASE = 0x6814,
    VMCS_GUEST_GDTR_BASE = 0x6816,
    VMCS_GUEST_IDTR_BASE = 0x6818,
    VMCS_GUEST_DR7 = 0x681a,
    VMCS_GUEST_RSP = 0x681c,
    VMCS_GUEST_RIP = 0x681e,
    VMCS_GUEST_RFLAGS = 0x6820,
    VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS = 0x6822,
    VMCS_GUEST_IA32_SYSENTER_ESP = 0x6824,
    VMCS_GUEST_IA32_SYSENTER_EIP = 0x6826,
    /* Host-state fields */
    VMCS_HOST_CR0 = 0x6c00,
    VMCS_HOST_CR3 = 0x6c02,
    VMCS_HOST_CR4 = 0x6c04,
    VMCS_HOST_FS_BASE = 0x6c06,
    VMCS_HOST_GS_BASE = 0x6c08,
    VMCS_HOST_TR_BASE = 0x6c0a,
    VMCS_HOST_GDTR_BASE = 0x6c0c,
    VMCS_HOST_IDTR_BASE = 0x6c0e,
    VMCS_HOST_IA32_SYSENTER_ESP = 0x6c10,
    VMCS_HOST_IA32_SYSENTER_EIP = 0x6c12,
    VMCS_HOST_RSP = 0x6c14,
    VMCS_HOST_RIP = 0x6c16
};

/* Bits of the access-rights fields: Table "Format of Access Rights" */
#define ACCESS_RIGHTS_DPL (3u << 5)
#define ACCESS_RIGHTS_L (1u << 13)
#define ACCESS_RIGHTS_DB (1u << 14)

/* vmx/fail_stop.c: a field that cannot be read or written is a bug of ours. */
_Noreturn void vmcs_access_failed(uint32_t field);

/* VMfailInvalid sets CF, VMfailValid ZF (SDM "Conventions" of the chapter "VMX Instruction Reference"). */
static inline uint64_t vmcs_read(uint32_t field)
{
    uint64_t value;
    uint8_t failed;
    __asm__ volatile("vmread %[field], %[value]"
                     : [value] "=r"(value), "=@ccbe"(failed)
                     : [field] "r"((uint64_t)field)
                     : "memory");
    if (__builtin_expect(failed, 0))
        vmcs_access_failed(field);
    return value;
}

static inline void vmcs_write(uint32_t field, uint64_t value)
{
    uint8_t failed;
    __asm__ volatile("vmwrite %[value], %[field]"
                     : "=@ccbe"(failed)
                     : [value] "r"(value), [field] "r"((uint64_t)field)
                     : "memory");
    if (__builtin_expect(failed, 0))
        vmcs_access_failed(field);
}

static inline uint32_t vmread32(enum vmcs32 field)
{
    return (uint32_t)vmcs_read(field);
}

static inline uint64_t vmread64(enum vmcs64 field)
{
    return vmcs_read(field);
}

static inline uint64_t vmreadn(enum vmcsn field)
{
    return vmcs_read(field);
}

static inline void vmwrite16(enum vmcs16 field, uint16_t value)
{
    vmcs_write(field, value);
}

static inline void vmwrite32(enum vmcs32 field, uint32_t value)
{
    vmcs_write(field, value);
}

static inline void vmwrite64(enum vmcs64 field, uint64_t value)
{
    vmcs_write(field, value);
}

static inline void vmwriten(enum vmcsn field, uint64_t value)
{
    vmcs_write(field, value);
}

#endif
