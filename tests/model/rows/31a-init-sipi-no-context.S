/*
 * Rows 31a and 32a: nothing where ContextEn is 0 (CPL is 0 in real-address mode).
 *
 * cpus: 2
 *
 * expect:
 * cbr *
 */
#include "row.h"
#include "sipi.inc"

    SIPI_ROW 0, 0, CTL_DEFAULT & ~CTL_OS
