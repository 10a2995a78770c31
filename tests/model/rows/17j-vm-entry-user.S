/*
 * Row 17j as the table has it: VM entry to CPL 3 with OS = 0 sets ContextEn, and OS = 0 lets no PIP pass. Row 16j: the VM
 * exit clears it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VMWRITE 0x802, USER_CODE64 /* CS and its access rights */
    VMWRITE 0x4816, 0xa0fb
    VMWRITE 0x804, USER_DATA /* SS */
    VMWRITE 0x4818, 0xc0f3
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    GUEST_ENTRY_AND_EXIT
    ROW_END
