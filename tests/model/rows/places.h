/*
 * What rows and the harness share: MSRs, selectors, places in memory. For C and the assembler.
 */
#ifndef ROWS_PLACES_H
#define ROWS_PLACES_H

#define RTIT_OUTPUT_BASE 0x560
#define RTIT_OUTPUT_MASK_PTRS 0x561
#define RTIT_CTL 0x570
#define RTIT_STATUS 0x571
#define RTIT_CR3_MATCH 0x572
#define RTIT_ADDR0_A 0x580

#define CTL_TRACE_EN (1 << 0)
#define CTL_CYC_EN (1 << 1)
#define CTL_OS (1 << 2)
#define CTL_USER (1 << 3)
#define CTL_CR3_FILTER (1 << 7)
#define CTL_TOPA (1 << 8)
#define CTL_MTC_EN (1 << 9)
#define CTL_TSC_EN (1 << 10)
#define CTL_DIS_RETC (1 << 11)
#define CTL_BRANCH_EN (1 << 13)
#define CTL_ADDR0_FILTER (1 << 32)
#define CTL_ADDR0_STOP (2 << 32)
#define CTL_ADDR1_FILTER (1 << 36)
#define CTL_ADDR1_STOP (2 << 36)
#define CTL_DEFAULT (CTL_TRACE_EN | CTL_OS | CTL_USER | CTL_TOPA | CTL_BRANCH_EN)

/* Selectors of the ROM's GDT (selftest/rom.S), and places in memory. */
#define CODE32 0x08
#define CODE64 0x18
#define DATA64 0x20
#define USER_CODE32 0x2b
#define USER_DATA 0x33
#define USER_CODE64 0x3b
#define TABLES 0x70000       /* CR3: 4 GiB, identity, user-accessible */
#define OTHER_TABLES 0x72000 /* a copy of its first table, for another CR3 */
#define USER_STACK 0x6d000

#endif
