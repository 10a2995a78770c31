/*
 * Rows 31b and 32e: the SIPI clears FilterEn.
 *
 * cpus: 2
 * libipt: packets (two pieces of code begin at RIP 0)
 * perf: packets (two pieces of code begin at RIP 0)
 *
 * expect:
 * cbr *
 * mode.exec
 * tip.pge *
 * tnt.8 !
 * fup *
 * pip 0
 * cbr *
 * tip.pgd 0
 */
#include "row.h"
#include "sipi.inc"

    SIPI_ROW 4, 0xffff, CTL_DEFAULT | CTL_ADDR0_FILTER
