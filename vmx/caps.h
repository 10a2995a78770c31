/*
 * Which VMX controls this CPU has, and those that we set. Core.
 *
 * Source: SDM Appendix A, "VMX Capability Reporting Facility"; bits from "VM-Execution Control Fields", "VM-Exit
 * Control Fields", "VM-Entry Control Fields".
 */
#ifndef VMX_CAPS_H
#define VMX_CAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Pin-based VM-execution controls */
#define PIN_NMI_EXITING (1u << 3)
#define PIN_VIRTUAL_NMIS (1u << 5)
#define PIN_PREEMPTION_TIMER (1u << 6)

/* Primary processor-based VM-execution controls */
#define PROC_CR3_LOAD_EXITING (1u << 15)
#define PROC_CR3_STORE_EXITING (1u << 16)
#define PROC_NMI_WINDOW_EXITING (1u << 22)
#define PROC_USE_IO_BITMAPS (1u << 25)
#define PROC_MONITOR_TRAP_FLAG (1u << 27)
#define PROC_USE_MSR_BITMAPS (1u << 28)
#define PROC_SECONDARY_CONTROLS (1u << 31)

/* Secondary processor-based VM-execution controls */
#define PROC2_ENABLE_EPT (1u << 1)
#define PROC2_ENABLE_RDTSCP (1u << 3)
#define PROC2_ENABLE_VPID (1u << 5)
#define PROC2_UNRESTRICTED_GUEST (1u << 7)
#define PROC2_ENABLE_INVPCID (1u << 12)
#define PROC2_ENABLE_XSAVES (1u << 20)
#define PROC2_ENABLE_USER_WAIT_AND_PAUSE (1u << 26)
#define PROC2_ENABLE_PCONFIG (1u << 27)

/* VM-exit controls */
#define EXIT_SAVE_DEBUG_CONTROLS (1u << 2)
#define EXIT_HOST_ADDRESS_SPACE_SIZE (1u << 9)
#define EXIT_LOAD_IA32_PERF_GLOBAL_CTRL (1u << 12)
#define EXIT_SAVE_IA32_PAT (1u << 18)
#define EXIT_LOAD_IA32_PAT (1u << 19)
#define EXIT_SAVE_IA32_EFER (1u << 20)
#define EXIT_LOAD_IA32_EFER (1u << 21)
#define EXIT_CLEAR_IA32_RTIT_CTL (1u << 25)
#define EXIT_CLEAR_IA32_LBR_CTL (1u << 26)
#define EXIT_SAVE_IA32_PERF_GLOBAL_CTRL (1u << 30)

/* VM-entry controls */
#define ENTRY_LOAD_DEBUG_CONTROLS (1u << 2)
#define ENTRY_IA32E_MODE_GUEST (1u << 9)
#define ENTRY_LOAD_IA32_PERF_GLOBAL_CTRL (1u << 13)
#define ENTRY_LOAD_IA32_PAT (1u << 14)
#define ENTRY_LOAD_IA32_EFER (1u << 15)
#define ENTRY_LOAD_IA32_RTIT_CTL (1u << 18)
#define ENTRY_LOAD_IA32_LBR_CTL (1u << 21)

/* IA32_VMX_EPT_VPID_CAP */
#define EPT_CAP_PAGE_WALK_4 (1ull << 6)
#define EPT_CAP_WRITE_BACK (1ull << 14)
#define EPT_CAP_2M (1ull << 16)
#define EPT_CAP_1G (1ull << 17)
#define EPT_CAP_INVEPT (1ull << 20)
#define EPT_CAP_INVEPT_SINGLE (1ull << 25)
#define VPID_CAP_INVVPID (1ull << 32)
#define VPID_CAP_INVVPID_SINGLE (1ull << 41)

/* IA32_FEATURE_CONTROL */
#define FEATURE_CONTROL_LOCK (1ull << 0)
#define FEATURE_CONTROL_VMX_IN_SMX (1ull << 1)
#define FEATURE_CONTROL_VMX (1ull << 2)
#define FEATURE_CONTROL_SGX_LAUNCH (1ull << 17)
#define FEATURE_CONTROL_SGX (1ull << 18)
#define FEATURE_CONTROL_SENTER (0xff00ull)

/* The registers of one CPU, as the shell reads them. MSRs that do not exist according to CPUID or another MSR are 0. */
struct vmx_caps {
    uint32_t cpuid_1_ecx;
    uint32_t perfmon_version; /* CPUID.0AH:EAX[7:0] */
    uint64_t feature_control; /* IA32_FEATURE_CONTROL */
    uint64_t basic;           /* IA32_VMX_BASIC */
    uint64_t pin;             /* the TRUE MSR of each pair, if it exists; bits 31:0: must be 1, 63:32: may be 1 */
    uint64_t proc;
    uint64_t proc2;
    uint64_t exit;
    uint64_t entry;
    uint64_t ept_vpid; /* IA32_VMX_EPT_VPID_CAP */
    uint64_t misc;     /* IA32_VMX_MISC */
};

/* The control words of the VMCS. */
struct vmx_controls {
    uint32_t pin, proc, proc2, exit, entry;
    bool perf_global_ctrl;       /* the guest's IA32_PERF_GLOBAL_CTRL is loaded and cleared across exits */
    bool perf_global_ctrl_saved; /* ... and saved by the exit, so that the guest's writes need not exit */
};

#define VMX_BASIC_TRUE_CONTROLS (1ull << 55)
#define VMX_MISC_HLT (1ull << 6)
#define VMX_MISC_WAIT_FOR_SIPI (1ull << 8)

/* The value for IA32_FEATURE_CONTROL: unchanged if firmware has locked it; else locked, with VMX enabled and the bits
 * that Linux would set before it locks the MSR. cpuid_7_*: of CPUID leaf 7, subleaf 0. */
uint64_t vmx_feature_control(uint64_t value, uint32_t cpuid_7_ebx, uint32_t cpuid_7_ecx);

/* Does the CPU have VMX, and can it be enabled? NULL: yes; else one sentence that says why not. Only cpuid_1_ecx and
 * feature_control need to be filled in: the other MSRs exist only if it does. */
const char *vmx_caps_check(const struct vmx_caps *caps);

/* Choose the controls. NULL: *controls is filled in; else one sentence that names the first missing feature. */
const char *vmx_controls_resolve(struct vmx_controls *controls, const struct vmx_caps *caps);

/* Can a CPU with these capabilities share the first CPU's controls, as far as they are used, and its EPT? Controls that
 * are not used may differ: on hybrid CPUs they do. VMX MSRs that are not compared are read on each CPU. NULL: yes; else
 * one sentence that says what differs. */
const char *vmx_caps_differ(const struct vmx_caps *first, const struct vmx_controls *used, const struct vmx_caps *caps);

/* Add the controls that load IA32_RTIT_CTL at VM entries and clear it at exits. NULL: done; else one sentence that
 * names the missing control. */
const char *vmx_controls_switch_rtit(struct vmx_controls *controls, const struct vmx_caps *caps);

#endif
