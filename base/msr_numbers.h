/*
 * The numbers of all MSRs that the hypervisor reads, writes or guards, in one table. Leaf header, for C and assembly:
 * any room may use it. Names are the manual's: SDM Vol. 4, "Model-Specific Registers (MSRs)".
 */
#ifndef BASE_MSR_NUMBERS_H
#define BASE_MSR_NUMBERS_H

#define IA32_APIC_BASE 0x1b
#define IA32_FEATURE_CONTROL 0x3a
#define IA32_MTRRCAP 0xfe
#define IA32_MTRR_PHYSBASE0 0x200 /* PHYSMASK0 behind it, then PHYSBASE1, ... */
#define IA32_PAT 0x277
#define IA32_MTRR_DEF_TYPE 0x2ff
#define IA32_PERF_CAPABILITIES 0x345
#define IA32_PERF_GLOBAL_STATUS 0x38e
#define IA32_PERF_GLOBAL_CTRL 0x38f
#define IA32_PERF_GLOBAL_STATUS_RESET 0x390 /* IA32_PERF_GLOBAL_OVF_CTRL before version 4 */
#define IA32_PERF_GLOBAL_STATUS_SET 0x391

#define IA32_VMX_BASIC 0x480
#define IA32_VMX_PINBASED_CTLS 0x481
#define IA32_VMX_PROCBASED_CTLS 0x482
#define IA32_VMX_EXIT_CTLS 0x483
#define IA32_VMX_ENTRY_CTLS 0x484
#define IA32_VMX_MISC 0x485
#define IA32_VMX_CR0_FIXED0 0x486
#define IA32_VMX_CR0_FIXED1 0x487
#define IA32_VMX_CR4_FIXED0 0x488
#define IA32_VMX_CR4_FIXED1 0x489
#define IA32_VMX_PROCBASED_CTLS2 0x48b
#define IA32_VMX_EPT_VPID_CAP 0x48c
#define IA32_VMX_TRUE_PINBASED_CTLS 0x48d
#define IA32_VMX_TRUE_PROCBASED_CTLS 0x48e
#define IA32_VMX_TRUE_EXIT_CTLS 0x48f
#define IA32_VMX_TRUE_ENTRY_CTLS 0x490

#define IA32_RTIT_OUTPUT_BASE 0x560
#define IA32_RTIT_OUTPUT_MASK_PTRS 0x561
#define IA32_RTIT_CTL 0x570
#define IA32_RTIT_STATUS 0x571
#define IA32_RTIT_CR3_MATCH 0x572
#define IA32_RTIT_ADDR0_A 0x580 /* _B behind it, then ADDR1_A, ... */

#define IA32_X2APIC_BASE 0x800 /* its registers, by their xAPIC offset / 16 */
#define IA32_X2APIC_APICID 0x802
#define IA32_X2APIC_SIVR 0x80f
#define IA32_X2APIC_ICR 0x830
#define IA32_X2APIC_LVT_PMI 0x834
#define IA32_XSS 0xda0
#define IA32_LBR_CTL 0x14ce

#define IA32_EFER 0xc0000080
#define IA32_LSTAR 0xc0000082
#define IA32_CSTAR 0xc0000083
#define IA32_GS_BASE 0xc0000101
#define IA32_KERNEL_GS_BASE 0xc0000102

#endif
