/* Kind: core */
/* The options that can be set at boot and changed by a command while the guest runs. */
#include "base/log.h"
#include "boot/options/option.h"

#define KIB 1024ull

static bool set_pt_psb(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    uint64_t bytes = PT_PSB_AUTO;
    if (!value_is(v, "auto") && (!value_size(&bytes, v, 0, 64 * KIB * KIB) || (bytes != 0 && bytes < 2 * KIB)))
        return false;
    o->pt.psb_bytes = (uint32_t)bytes;
    return true;
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

static bool set_pt_mtc(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->pt.mtc_on = true;
    o->pt.mtc = PT_MTC_AUTO;
    return value_is(v, "auto") || set_code4(&o->pt.mtc_on, &o->pt.mtc, v);
}

static bool set_pt_cyc(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    return set_code4(&o->pt.cyc_on, &o->pt.cyc, v);
}

static bool set_cr3(uint64_t *cr3, struct value_text v)
{
    return value_u64(cr3, v) && *cr3 % 32 == 0 && *cr3 != 0;
}

/* off, A, or A,B */
static bool set_pt_cr3(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
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

static bool set_pt_branches(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
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

static bool set_pt_range(const struct option *option, struct options *o, struct value_text v)
{
    return set_range((struct pt_range *)((char *)o + option->field), v);
}

static bool set_pt_flush(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->pt.flush_ms = 0;
    return value_is(v, "off") || value_u32(&o->pt.flush_ms, v, 1, 60000);
}

static const char *const policies[] = {
    [PT_POLICY_STALL] = "stall", [PT_POLICY_DROP] = "drop", [PT_POLICY_RING] = "ring", NULL};
static const char *const words_inverted[] = {"on", "off", NULL}; /* for members that are true for off */

#define RANGE_EXPECTED "off, filter:START-END or stop:START-END (two addresses such as 0x1000-0x1fff)"

#define OPTION_RANGE(n) set_pt_range, OPTION_FIELD(pt.ranges[n], struct pt_range), 0, 0, 0

/* clang-format off */
const struct option options_changeable[] = {
    {"policy", "stall", "stall, drop or ring", OPTION_ENUM(pt.policy, policies)},
    {"pt.flush", "100", "off or milliseconds, from 1 to 60000", OPTION_OWN(set_pt_flush)},
    {"pt.os", "on", "on or off", OPTION_FLAG(pt.os)},
    {"pt.user", "on", "on or off", OPTION_FLAG(pt.user)},
    {"pt.tsc", "on", "on or off", OPTION_FLAG(pt.tsc)},
    {"pt.retc", "on", "on or off", OPTION_BOOL(pt.disable_retc, words_inverted)},
    {"pt.psb", "auto", "auto, 0 (the CPU's own) or a power of two from 2K to 64M", OPTION_OWN(set_pt_psb)},
    {"pt.branch", "on", "on or off", OPTION_BOOL(pt.no_branches, words_inverted)},
    {"pt.ptwrite", "off", "on or off", OPTION_FLAG(pt.ptwrite)},
    {"pt.mtc", "auto", "auto, off or a number from 0 to 15", OPTION_OWN(set_pt_mtc)},
    {"pt.cyc", "off", "off or a number from 0 to 15", OPTION_OWN(set_pt_cyc)},
    {"pt.cr3", "off", "off, a multiple of 32 such as 0x1aa000, or two (0x1aa000,0x1ab000)", OPTION_OWN(set_pt_cr3)},
    {"pt.branches", "off", "off or a number of branches, which pt=soft counts", OPTION_OWN(set_pt_branches)},
    {"pt.range0", "off", RANGE_EXPECTED, OPTION_RANGE(0)},
    {"pt.range1", "off", RANGE_EXPECTED, OPTION_RANGE(1)},
    {"pt.range2", "off", RANGE_EXPECTED, OPTION_RANGE(2)},
    {"pt.range3", "off", RANGE_EXPECTED, OPTION_RANGE(3)},
};
/* clang-format on */
const size_t nr_options_changeable = sizeof options_changeable / sizeof options_changeable[0];

static const struct option *find_changeable(struct value_text word)
{
    for (size_t i = 0; i < nr_options_changeable; i++)
        if (option_is_named(&options_changeable[i], word))
            return &options_changeable[i];
    return NULL;
}

bool options_change(struct pt_options *config, const char *line, struct options_error *error)
{
    struct options options = {.pt = *config};
    struct value_text word = {line, 0};
    bool any = false;
    while (option_next_word(&word)) {
        any = true;
        const struct option *option = find_changeable(word);
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
