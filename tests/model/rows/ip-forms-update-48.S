/*
 * IP compression, Table 36-18: IPBytes 100b, where the upper 16 bits are those of the last IP.
 *
 * options: profile=skylake, update48=1
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
 * report 3
 * report 3
 * report 4
 */
#include "ip-forms.inc"

    IP_FORMS 43, 50
