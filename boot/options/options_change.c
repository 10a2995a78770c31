/* Kind: core */
/* The options that a command may change while the guest runs, and a boot sets as well. Core. */
#include "base/log.h"
#include "boot/options/option.h"

#define KIB 1024ull

static bool set_policy(struct options *o, struct value_text v)
{
    static const char *const names[] = {
        [PT_POLICY_STALL] = "stall", [PT_POLICY_DROP] = "drop", [PT_POLICY_RING] = "ring"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (value_is(v, names[i])) {
            o->pt.policy = (enum pt_policy)i;
            return true;
        }
    }
    return false;
}

static bool set_pt_os(struct options *o, struct value_text v)
{
    return value_flag(&o->pt.os, v);
}

static bool set_pt_user(struct options *o, struct value_text v)
{
    return value_flag(&o->pt.user, v);
}

static bool set_pt_tsc(struct options *o, struct value_text v)
{
    return value_flag(&o->pt.tsc, v);
}

static bool set_pt_retc(struct options *o, struct value_text v)
{
    bool on;
    if (!value_flag(&on, v))
        return false;
    o->pt.disable_retc = !on;
    return true;
}

static bool set_pt_psb(struct options *o, struct value_text v)
{
    uint64_t bytes = PT_PSB_AUTO;
    if (!value_is(v, "auto") && (!value_size(&bytes, v, 0, 64 * KIB * KIB) || (bytes != 0 && bytes < 2 * KIB)))
        return false;
    o->pt.psb_bytes = (uint32_t)bytes;
    return true;
}

static bool set_pt_branch(struct options *o, struct value_text v)
{
    bool on;
    if (!value_flag(&on, v))
        return false;
    o->pt.no_branches = !on;
    return true;
}

static bool set_pt_ptwrite(struct options *o, struct value_text v)
{
    return value_flag(&o->pt.ptwrite, v);
}

/* off, or a code from 0 to 15. */
static bool set_code4(bool *on, uint8_t *code, struct value_text v)
{
    uint32_t number = 0;
    *on = !value_is(v, "off");
    if (*on && !value_u32(&number, v, 0, 15))
        return false;
    *code = (uint8_t)number;
    return true;
}

static bool set_pt_mtc(struct options *o, struct value_text v)
{
    return set_code4(&o->pt.mtc_on, &o->pt.mtc, v);
}

static bool set_pt_cyc(struct options *o, struct value_text v)
{
    return set_code4(&o->pt.cyc_on, &o->pt.cyc, v);
}

static bool set_cr3(uint64_t *cr3, struct value_text v)
{
    return value_u64(cr3, v) && *cr3 % 32 == 0 && *cr3 != 0;
}

/* off, A, or A,B */
static bool set_pt_cr3(struct options *o, struct value_text v)
{
    uint64_t *cr3 = o->pt.cr3;
    o->pt.cr3_on = !value_is(v, "off");
    cr3[0] = cr3[1] = 0;
    if (!o->pt.cr3_on)
        return true;
    size_t comma = 0;
    while (comma < v.size && v.at[comma] != ',')
        comma++;
    if (!set_cr3(&cr3[0], (struct value_text){v.at, comma}))
        return false;
    return comma == v.size || (set_cr3(&cr3[1], (struct value_text){v.at + comma + 1, v.size - comma - 1}) &&
                               (cr3[0] ^ cr3[1]) >> 12 != 0);
}

static bool set_pt_branches(struct options *o, struct value_text v)
{
    o->pt.branches = 0;
    return value_is(v, "off") || (value_u64(&o->pt.branches, v) && o->pt.branches != 0);
}

/* filter:START-END, stop:START-END, off */
static bool set_range(struct pt_range *range, struct value_text v)
{
    *range = (struct pt_range){.kind = PT_RANGE_OFF};
    if (value_is(v, "off"))
        return true;
    size_t colon = 0, dash;
    while (colon < v.size && v.at[colon] != ':')
        colon++;
    for (dash = colon; dash < v.size && v.at[dash] != '-'; dash++) {
    }
    if (dash >= v.size)
        return false;
    struct value_text kind = {v.at, colon}, start = {v.at + colon + 1, dash - colon - 1},
                      end = {v.at + dash + 1, v.size - dash - 1};
    if (value_is(kind, "filter"))
        range->kind = PT_RANGE_FILTER;
    else if (value_is(kind, "stop"))
        range->kind = PT_RANGE_STOP;
    return range->kind != PT_RANGE_OFF && value_u64(&range->start, start) && value_u64(&range->end, end) &&
           range->start <= range->end && value_is_canonical(range->start) && value_is_canonical(range->end);
}

static bool set_pt_range0(struct options *o, struct value_text v)
{
    return set_range(&o->pt.ranges[0], v);
}

static bool set_pt_range1(struct options *o, struct value_text v)
{
    return set_range(&o->pt.ranges[1], v);
}

static bool set_pt_range2(struct options *o, struct value_text v)
{
    return set_range(&o->pt.ranges[2], v);
}

static bool set_pt_range3(struct options *o, struct value_text v)
{
    return set_range(&o->pt.ranges[3], v);
}

#define RANGE_EXPECTED "off, filter:START-END or stop:START-END (two addresses such as 0x1000-0x1fff)"

const struct option options_changeable[] = {
    {"policy", set_policy, "stall, drop or ring"},
    {"pt.os", set_pt_os, "on or off"},
    {"pt.user", set_pt_user, "on or off"},
    {"pt.tsc", set_pt_tsc, "on or off"},
    {"pt.retc", set_pt_retc, "on or off"},
    {"pt.psb", set_pt_psb, "auto, 0 (the CPU's own) or a power of two from 2K to 64M"},
    {"pt.branch", set_pt_branch, "on or off"},
    {"pt.ptwrite", set_pt_ptwrite, "on or off"},
    {"pt.mtc", set_pt_mtc, "off or a number from 0 to 15"},
    {"pt.cyc", set_pt_cyc, "off or a number from 0 to 15"},
    {"pt.cr3", set_pt_cr3, "off, a multiple of 32 such as 0x1aa000, or two (0x1aa000,0x1ab000)"},
    {"pt.branches", set_pt_branches, "off or a number of branches, which pt=soft counts"},
    {"pt.range0", set_pt_range0, RANGE_EXPECTED},
    {"pt.range1", set_pt_range1, RANGE_EXPECTED},
    {"pt.range2", set_pt_range2, RANGE_EXPECTED},
    {"pt.range3", set_pt_range3, RANGE_EXPECTED},
};
const size_t nr_options_changeable = sizeof options_changeable / sizeof options_changeable[0];

bool options_change(struct pt_options *config, const char *line, struct options_error *error)
{
    struct options options = {.pt = *config};
    struct value_text word = {line, 0};
    bool any = false;
    while (option_next_word(&word)) {
        any = true;
        const struct option *option = option_find(options_changeable, nr_options_changeable, word);
        if (!option) {
            option_error_set(error, word, "an option that can change while the guest runs");
            return false;
        }
        if (!option_set(option, &options, word, error))
            return false;
    }
    if (!any)
        option_error_set(error, word, "NAME=VALUE");
    *config = options.pt;
    return any;
}

bool options_command(struct pt_options *config, const char *line, char *why, size_t size)
{
    struct options_error error;
    if (options_change(config, line, &error))
        return true;
    format_text(why, size, "bad option \"%s\": expected %s", error.word, error.expected);
    return false;
}
