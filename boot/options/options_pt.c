/* Kind: core, init */
/* The options of Intel PT that only a boot sets. Core. What the CPU has of them is pt/option_check.c's to judge. */
#include "boot/options/option.h"
#include "pt/output/scheme.h"

#define KIB 1024ull

static bool set_pt(struct options *o, struct value_text v)
{
    o->pt.unit = value_is(v, "soft") ? PT_UNIT_SOFT : value_is(v, "cpu") ? PT_UNIT_CPU : PT_UNIT_ANY;
    if (o->pt.unit == PT_UNIT_ANY)
        return value_flag(&o->pt.enabled, v);
    return o->pt.enabled = true;
}

static bool set_pt_scheme(struct options *o, struct value_text v)
{
    for (int scheme = PT_SCHEME_AUTO; scheme <= PT_SCHEME_RANGE; scheme++) {
        if (value_is(v, pt_scheme_name((enum pt_scheme)scheme))) {
            o->pt.scheme = (enum pt_scheme)scheme;
            return true;
        }
    }
    return false;
}

static bool set_pt_stop(struct options *o, struct value_text v)
{
    return value_flag(&o->pt.stop, v);
}

static bool set_pt_region(struct options *o, struct value_text v)
{
    return value_size(&o->pt.region_bytes, v, 4 * KIB, 128 * KIB * KIB);
}

static bool set_pt_regions(struct options *o, struct value_text v)
{
    return value_u32(&o->pt.nr_regions, v, 4, 4096);
}

static bool set_pt_switch(struct options *o, struct value_text v)
{
    static const char *const names[] = {
        [PT_SWITCH_ROOT] = "root", [PT_SWITCH_LIST] = "list", [PT_SWITCH_VMCS] = "vmcs"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (value_is(v, names[i])) {
            o->pt.way = (enum pt_switch)i;
            return true;
        }
    }
    return false;
}

static bool set_pt_trigger(struct options *o, struct value_text v)
{
    o->pt.trigger = 0;
    o->pt.trigger_starts = false;
    return value_is(v, "off") ||
           (value_u64(&o->pt.trigger, v) && value_is_canonical(o->pt.trigger) && o->pt.trigger != 0);
}

static bool set_pt_start(struct options *o, struct value_text v)
{
    const bool good = set_pt_trigger(o, v);

    o->pt.trigger_starts = o->pt.trigger != 0;
    return good;
}

const struct option options_pt[] = {
    {"pt", set_pt, "on, off, cpu or soft"},
    {"pt.scheme", set_pt_scheme, "auto, topa, single or range"},
    {"pt.stop", set_pt_stop, "on or off"},
    {"pt.region", set_pt_region, "a power of two from 4K to 128M"},
    {"pt.regions", set_pt_regions, "a number from 4 to 4096"},
    {"pt.switch", set_pt_switch, "root, list or vmcs"},
    {"pt.trigger", set_pt_trigger, "off or an address such as 0xffffffff81000000"},
    {"pt.start", set_pt_start, "off or an address such as 0xffffffff81000000"},
};
const size_t nr_options_pt = sizeof options_pt / sizeof options_pt[0];
