/*
 * Row 13e: a fault with PacketEn before and after.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * fup here
 * tip handler
 * tip resume
 * fup off
 * tip.pgd
 */
#include "event.inc"

    EVENT_ROW_AFTER_BRANCH exception
