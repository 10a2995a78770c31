/*
 * IP compression, Table 36-18: IPBytes 110b, where the processor has it for what it cannot compress.
 *
 * options: profile=skylake, ip8=1
 * mapped: ffffff8000010000 7f8000010000
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tip near
 * tip *
 * tip *
 * tip back
 * fup off
 * tip.pgd
 * report 2
 * report 1
 * report 6
 * report 6
 * report 6
 */
#include "ip-forms.inc"

    IP_FORMS 45, 54
