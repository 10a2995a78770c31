/*
 * Errata: what CPUs generate that the manual does not describe. Source: Intel's specification updates; each erratum has
 * the name of the first one that lists it. They are only applied to traces of a known CPU model. Pure.
 */
#ifndef DECODE_ENGINE_ERRATA_H
#define DECODE_ENGINE_ERRATA_H

#include <stdbool.h>
#include <stdint.h>

struct flow_input;

struct errata {
    bool bdm64;  /* when a transaction aborts, a branch in it may be reported although its target was not executed */
    bool skd007; /* a CYC of two bytes may have swallowed the first byte of OVF */
    bool skd010; /* after OVF the FUP or TIP.PGE may be missing */
    bool skd022; /* a VM entry that disables tracing may be reported with a FUP, like an event */
    bool skl168; /* a CYC before a PSB may be missing */
    bool skz84;  /* a TMA may be invalid, and followed by a byte that belongs to no packet */
    bool apl11;  /* after OVF there may be a TIP.PGD without an event or branch */
    bool apl12;  /* after OVF there may be a FUP though tracing is disabled */
};

struct errata errata_of(const struct flow_input *input);

/* Does the decoder know the errata of this model? */
bool errata_knows(const struct flow_input *input);

#endif
