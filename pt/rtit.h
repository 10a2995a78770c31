/*
 * The bits of the registers of Intel PT and of its interrupt.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7), Tables "IA32_RTIT_CTL MSR" and
 * "IA32_RTIT_STATUS MSR"; Vol. 3B "Performance Monitoring" for 38EH and 390H; Vol. 3A "Local APIC Status and Location".
 */
#ifndef PT_RTIT_H
#define PT_RTIT_H

#include "base/msr_numbers.h"

#define RTIT_CTL_TRACE_EN (1ull << 0) /* VISIBLE: on Broadwell, LBRs are not updated while it is set */
#define RTIT_CTL_CYC_EN (1ull << 1)
#define RTIT_CTL_OS (1ull << 2)
#define RTIT_CTL_USER (1ull << 3)
#define RTIT_CTL_FUP_ON_PTW (1ull << 5)
#define RTIT_CTL_CR3_FILTER (1ull << 7)
#define RTIT_CTL_TOPA (1ull << 8)
#define RTIT_CTL_MTC_EN (1ull << 9)
#define RTIT_CTL_TSC_EN (1ull << 10)
#define RTIT_CTL_DIS_RETC (1ull << 11)
#define RTIT_CTL_PTW_EN (1ull << 12)
#define RTIT_CTL_BRANCH_EN (1ull << 13)
#define RTIT_CTL_MTC_FREQ_SHIFT 14   /* four bits */
#define RTIT_CTL_CYC_THRESH_SHIFT 19 /* four bits */
#define RTIT_CTL_PSB_FREQ_SHIFT 24   /* four bits: a PSB every 2 KiB << code */
#define RTIT_CTL_ADDR0_CFG_SHIFT 32  /* four bits for each range: 0 off, 1 FilterEn range, 2 TraceStop range */

#define RTIT_STATUS_ERROR (1ull << 4)
#define RTIT_STATUS_STOPPED (1ull << 5)
#define RTIT_STATUS_PACKET_BYTE_CNT (0x1ffffull << 32) /* where CPUID.14H:EBX[1] = 1 */

/* CPUID leaf 7 and leaf 14H, sub-leaf 0 */
#define CPUID_7_EBX_PT (1u << 25)
#define CPUID_14_EBX_CR3_FILTER (1u << 0)
#define CPUID_14_EBX_CPSB_CAM (1u << 1)  /* configurable PSB and cycle-accurate mode */
#define CPUID_14_EBX_IP_FILTER (1u << 2) /* and TraceStop */
#define CPUID_14_EBX_MTC (1u << 3)       /* and BranchEn = 0 */
#define CPUID_14_EBX_PTWRITE (1u << 4)
#define CPUID_14_ECX_TOPAOUT (1u << 0)
#define CPUID_14_ECX_MENTRY (1u << 1)
#define CPUID_14_ECX_SNGLRNGOUT (1u << 2)
#define CPUID_14_ECX_LIP (1u << 31) /* IP payloads are linear addresses, the code segment's base included */

#define VMX_MISC_PT_IN_VMX (1ull << 14)
#define VMX_MISC_CR3_TARGETS 0x1ff0000ull /* number of CR3-target values: SDM Appendix A.6 */

#define PERF_GLOBAL_TRACE_TOPA_PMI (1ull << 55)

#define XAPIC_LVT_PMI 0x340u /* offset in the xAPIC page */

#endif
