/*
 * IP filters compare what IP packets hold (36.3.1.1): linear addresses where CPUID.14H:ECX.LIP = 1.
 *
 * options: profile=icelake
 * code32: target end
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge target
 * tip next
 * fup faults
 * tip.pgd back
 */
#define FILTER target, end
#include "ip-base.inc"
