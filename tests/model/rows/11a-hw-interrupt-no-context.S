/*
 * Row 11a: a hardware interrupt with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "event.inc"

    EVENT_ROW hw_interrupt, CTL_DEFAULT & ~CTL_OS
