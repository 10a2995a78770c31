/*
 * PTWRITE is #UD where CPUID.(14H,0):EBX[4] is 0 (SDM Vol. 2B, "PTWRITE").
 *
 * options: profile=skylake
 *
 * expect:
 * fault 6
 */
#include "row.h"

    ROW
    TRY ptwritel %ebx
    ROW_END
