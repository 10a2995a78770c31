/*
 * Rows 31b and 32f: FUP and PIP with the INIT; with the SIPI, as the clock went on, CBR, and the TIP where it starts.
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
 * tip 0
 * fup *
 * tip.pgd
 */
#include "row.h"
#include "sipi.inc"

    SIPI_ROW 0, 0, CTL_DEFAULT
