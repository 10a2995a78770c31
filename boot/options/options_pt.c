/* Kind: core, init */
/* The options of Intel PT that only a boot can set. pt/option_check.c checks whether the CPU supports their values. */
#include "boot/options/option.h"
#include "pt/output/scheme.h"

#define KIB 1024ull

static bool set_pt(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->pt.unit = value_is(v, "soft") ? PT_UNIT_SOFT : value_is(v, "cpu") ? PT_UNIT_CPU : PT_UNIT_ANY;
    if (o->pt.unit == PT_UNIT_ANY)
        return value_flag(&o->pt.enabled, v);
    return o->pt.enabled = true;
}

static bool set_pt_scheme(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    for (int scheme = PT_SCHEME_AUTO; scheme <= PT_SCHEME_RANGE; scheme++) {
        if (value_is(v, pt_scheme_name((enum pt_scheme)scheme))) {
            o->pt.scheme = (enum pt_scheme)scheme;
            return true;
        }
    }
    return false;
}

static bool set_pt_trigger(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->pt.trigger = 0;
    o->pt.trigger_starts = false;
    return value_is(v, "off") ||
           (value_u64(&o->pt.trigger, v) && value_is_canonical(o->pt.trigger) && o->pt.trigger != 0);
}

static bool set_pt_start(const struct option *option, struct options *o, struct value_text v)
{
    static const char *const words[] = {"auto", "now", "exitbootservices"};

    o->pt.trigger = 0;
    o->pt.trigger_starts = false;
    for (unsigned i = START_AUTO; i < START_ADDRESS; i++) {
        o->start = (enum start_option)i;
        if (value_is(v, words[i]))
            return true;
    }
    const bool good = set_pt_trigger(option, o, v);
    o->pt.trigger_starts = o->pt.trigger != 0;
    o->start = o->pt.trigger_starts ? START_ADDRESS : START_NOW;
    return good;
}

static const char *const ways[] = {
    [PT_SWITCH_ROOT] = "root", [PT_SWITCH_LIST] = "list", [PT_SWITCH_VMCS] = "vmcs", NULL};

#define ADDRESS_EXPECTED "off or an address such as 0xffffffff81000000"

/* clang-format off */
const struct option options_pt[] = {
    {"pt", "on", "on, off, cpu or soft", OPTION_OWN(set_pt)},
    {"pt.scheme", "auto", "auto, topa, single or range", OPTION_OWN(set_pt_scheme)},
    {"pt.stop", "on", "on or off", OPTION_FLAG(pt.stop)},
    {"pt.region", "512K", "a power of two from 4K to 128M", OPTION_SIZE(pt.region_bytes, 4 * KIB, 128 * KIB * KIB)},
    {"pt.regions", "8", "a number from 4 to 4096", OPTION_U32(pt.nr_regions, 4, 4096)},
    {"pt.switch", "root", "root, list or vmcs", OPTION_ENUM(pt.way, ways)},
    {"pt.trigger", "off", ADDRESS_EXPECTED, OPTION_OWN(set_pt_trigger)},
    {"pt.start", "auto", "auto, now, exitbootservices, " ADDRESS_EXPECTED, OPTION_OWN(set_pt_start)},
};
/* clang-format on */
const size_t nr_options_pt = sizeof options_pt / sizeof options_pt[0];
