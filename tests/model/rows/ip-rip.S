/*
 * CPUID.14H:ECX.LIP = 0: IP payloads are RIP, which leaves out the base of the code segment (Table 36-11).
 *
 * rip32: target end
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip target_rip
 * tip next_rip
 * fup fault_rip
 * mode.exec cs.l
 * tip back
 * fup off
 * tip.pgd
 */
#include "ip-base.inc"
