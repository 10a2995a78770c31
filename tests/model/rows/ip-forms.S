/*
 * IP compression, Table 36-18: the smallest IPBytes that suffices for the address.
 *
 * options: profile=skylake
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
 * report 3
 */
#include "ip-forms.inc"

    IP_FORMS 43, 50
