/*
 * CPUID.14H:ECX.LIP = 1: IP payloads are linear addresses, with the base of the code segment (Table 36-11).
 *
 * options: profile=icelake
 * code32: target end
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip target
 * tip next
 * fup faults
 * mode.exec cs.l
 * tip back
 * fup off
 * tip.pgd
 */
#include "ip-base.inc"
