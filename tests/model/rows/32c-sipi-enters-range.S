/*
 * Rows 31a and 32c: FilterEn is 0 until the SIPI sets it, CS:IP being 0900H:0.
 *
 * cpus: 2
 * libipt: packets (two pieces of code begin at RIP 0)
 * perf: packets (two pieces of code begin at RIP 0)
 *
 * expect:
 * cbr *
 * cbr *
 * mode.exec
 * tip.pge 0
 * fup *
 * tip.pgd
 */
#include "row.h"
#include "sipi.inc"

    SIPI_ROW 0, 3, CTL_DEFAULT | CTL_ADDR0_FILTER
