/*
 * The bits of the MSRs.
 *
 * Source: SDM Table 36-6 (IA32_RTIT_CTL), Table 36-7 (IA32_RTIT_STATUS); bits 31, 54 to 56 of the first and 6 to 7 of
 * the second are from later editions.
 */
#ifndef PT_MSRS_H
#define PT_MSRS_H

/* IA32_RTIT_CTL */
#define RTIT_CTL_TRACE_EN (1ull << 0)
#define RTIT_CTL_CYC_EN (1ull << 1)
#define RTIT_CTL_OS (1ull << 2)
#define RTIT_CTL_USER (1ull << 3)
#define RTIT_CTL_PWR_EVT_EN (1ull << 4)
#define RTIT_CTL_FUP_ON_PTW (1ull << 5)
#define RTIT_CTL_FABRIC_EN (1ull << 6)
#define RTIT_CTL_CR3_FILTER (1ull << 7)
#define RTIT_CTL_TOPA (1ull << 8)
#define RTIT_CTL_MTC_EN (1ull << 9)
#define RTIT_CTL_TSC_EN (1ull << 10)
#define RTIT_CTL_DIS_RETC (1ull << 11)
#define RTIT_CTL_PTW_EN (1ull << 12)
#define RTIT_CTL_BRANCH_EN (1ull << 13)
#define RTIT_CTL_MTC_FREQ_SHIFT 14
#define RTIT_CTL_MTC_FREQ (0xfull << RTIT_CTL_MTC_FREQ_SHIFT)
#define RTIT_CTL_CYC_THRESH_SHIFT 19
#define RTIT_CTL_CYC_THRESH (0xfull << RTIT_CTL_CYC_THRESH_SHIFT)
#define RTIT_CTL_PSB_FREQ_SHIFT 24
#define RTIT_CTL_PSB_FREQ (0xfull << RTIT_CTL_PSB_FREQ_SHIFT)
#define RTIT_CTL_EVENT_EN (1ull << 31)
#define RTIT_CTL_ADDR_CFG_SHIFT(range) (32 + 4 * (range)) /* 0 unused, 1 FilterEn range, 2 TraceStop range */
#define RTIT_CTL_DIS_TNT (1ull << 55)
#define RTIT_CTL_INJECT_PSB_PMI (1ull << 56)

/* IA32_RTIT_STATUS */
#define RTIT_STATUS_FILTER_EN (1ull << 0)
#define RTIT_STATUS_CONTEXT_EN (1ull << 1)
#define RTIT_STATUS_TRIGGER_EN (1ull << 2)
#define RTIT_STATUS_ERROR (1ull << 4)
#define RTIT_STATUS_STOPPED (1ull << 5)
#define RTIT_STATUS_PEND_PSB (1ull << 6)
#define RTIT_STATUS_PEND_TOPA_PMI (1ull << 7)
#define RTIT_STATUS_BYTE_CNT_SHIFT 32
#define RTIT_STATUS_BYTE_CNT (0x1ffffull << RTIT_STATUS_BYTE_CNT_SHIFT)

#define PERF_GLOBAL_TOPA_PMI (1ull << 55)

#endif
