/* Kind: core */
/* The choice of an output scheme: see pt/output/scheme.h. */
#include "pt/output/scheme.h"

#include "base/init.h"
#include "pt/output/region_ring.h"
#include "pt/output/single_range.h"
#include "pt/output/single_region.h"
#include "pt/rtit.h"

static enum pt_refusal scheme_choose(enum pt_scheme *scheme, uint32_t leaf14_ecx, enum pt_scheme requested)
{
    bool topa = leaf14_ecx & CPUID_14_ECX_TOPAOUT;
    bool many = topa && leaf14_ecx & CPUID_14_ECX_MENTRY;
    bool range = leaf14_ecx & CPUID_14_ECX_SNGLRNGOUT;
    *scheme = requested;
    switch (requested) {
    case PT_SCHEME_AUTO:
        *scheme = many ? PT_SCHEME_TOPA : topa ? PT_SCHEME_SINGLE : PT_SCHEME_RANGE;
        return topa || range ? PT_OK : PT_NO_OUTPUT;
    case PT_SCHEME_TOPA:
        return many ? PT_OK : topa ? PT_NO_MENTRY : PT_NO_TOPA;
    case PT_SCHEME_SINGLE:
        return topa ? PT_OK : PT_NO_TOPA;
    case PT_SCHEME_RANGE:
        return range ? PT_OK : PT_NO_RANGE;
    }
    return PT_NO_OUTPUT;
}

enum pt_refusal pt_scheme_resolve(enum pt_scheme *scheme, const struct pt_cpuid *cpuid, const struct pt_options *config)
{
    enum pt_refusal refusal = scheme_choose(scheme, cpuid->leaf14_0[2], config->scheme);
    if (refusal != PT_OK)
        return refusal;
    if (config->nr_regions > (*scheme == PT_SCHEME_SINGLE ? SINGLE_REGION_MAX_REGIONS : REGION_RING_MAX_REGIONS))
        return PT_REGIONS_MANY;
    if (*scheme == PT_SCHEME_RANGE && pt_scheme_range_bytes(config) > SINGLE_RANGE_MAX_BYTES)
        return PT_RANGE_LARGE;
    return PT_OK;
}

const char *pt_scheme_name(enum pt_scheme scheme)
{
    static const char *const names[] = {[PT_SCHEME_AUTO] = "auto",
                                        [PT_SCHEME_TOPA] = "topa",
                                        [PT_SCHEME_SINGLE] = "single",
                                        [PT_SCHEME_RANGE] = "range"};
    return names[scheme];
}

uint64_t pt_scheme_range_bytes(const struct pt_options *config)
{
    uint64_t total = config->region_bytes * config->nr_regions;
    uint64_t bytes = config->region_bytes;
    while (bytes * 2 <= total)
        bytes *= 2;
    return bytes;
}

INIT_CODE uint64_t pt_scheme_align(enum pt_scheme scheme, const struct pt_options *config)
{
    return scheme == PT_SCHEME_RANGE ? pt_scheme_range_bytes(config) : config->region_bytes;
}
