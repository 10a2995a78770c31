/*
 * IP filters compare what IP packets hold (36.3.1.1): RIP where CPUID.14H:ECX.LIP = 0, without the code segment's base.
 *
 * rip32: target end
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge target_rip
 * tip next_rip
 * fup fault_rip
 * tip.pgd back
 */
#define FILTER target_rip, end_rip
#include "ip-base.inc"
