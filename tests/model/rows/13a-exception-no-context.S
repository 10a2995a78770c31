/*
 * Row 13a: a fault with ContextEn 0 before and after.
 *
 * expect:
 * cbr *
 */
#include "event.inc"

    EVENT_ROW exception, CTL_DEFAULT & ~CTL_OS
