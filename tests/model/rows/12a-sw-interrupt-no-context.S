/*
 * Row 12a: a software interrupt with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "event.inc"

    EVENT_ROW sw_interrupt, CTL_DEFAULT & ~CTL_OS
