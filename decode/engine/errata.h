/*
 * What CPUs write that the manual does not say: Intel's specification updates, by the names that the first of them gave
 * each erratum. Only traces of a known CPU are read with them. Pure.
 */
#ifndef DECODE_ENGINE_ERRATA_H
#define DECODE_ENGINE_ERRATA_H

#include <stdbool.h>
#include <stdint.h>

struct flow_input;

struct errata {
    bool bdm64; /* where a transaction aborts, a branch that it took may be reported, and its target was not executed */
    bool skd007; /* a CYC of two bytes may have swallowed the first byte of OVF */
    bool skd010; /* after OVF the FUP or TIP.PGE may be missing */
    bool skd022; /* a VM entry that disables tracing may be reported with a FUP, like an event */
    bool skl168; /* a CYC before a PSB may be missing */
    bool skz84;  /* a TMA may be nonsense, and a byte that is no packet follows it */
    bool apl11;  /* after OVF there may be a TIP.PGD that belongs to nothing */
    bool apl12;  /* after OVF there may be a FUP though tracing is disabled */
};

struct errata errata_of(const struct flow_input *input);

/* Is the model one whose errata are known? */
bool errata_knows(const struct flow_input *input);

#endif
