#include "boot/options.h"

#include "boot/acts.h"
#include "boot/option.h"

#define KIB 1024ull

void options_default(struct options *options)
{
    *options = (struct options){
        .pt = {.enabled = true,
               .scheme = PT_SCHEME_AUTO,
               .stop = true,
               .region_bytes = 512 * KIB,
               .nr_regions = 8,
               .os = true,
               .user = true,
               .tsc = true,
               .disable_retc = false,
               .psb_bytes = PT_PSB_AUTO},
        .channel = CHANNEL_AUTO,
        .uart_port = 0x2f8,
        .uart_baud = 115200,
        .console_port = 0x3f8,
        .console_baud = 115200,
        .net_ip = 0x0a00020f,
        .net_peer = 0x0a000202,
        .net_port = 21845,
        .net_mtu = 1500,
        .net_card = NET_CARD_ANY,
        .net_wait_seconds = 30,
        .code_pages = true,
    };
}

/* --- one function per option ----------------------------------------------------------------------------------------
 */

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

SECOND_ACT static bool set_channel(struct options *o, struct value_text v)
{
    static const char *const names[] = {
        [CHANNEL_AUTO] = "auto", [CHANNEL_E1000] = "e1000", [CHANNEL_UART] = "uart", [CHANNEL_NONE] = "none"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (value_is(v, names[i])) {
            o->channel = (enum channel_kind)i;
            return true;
        }
    }
    return false;
}

SECOND_ACT static bool set_uart_port(struct options *o, struct value_text v)
{
    return value_port(&o->uart_port, v);
}

SECOND_ACT static bool set_uart_baud(struct options *o, struct value_text v)
{
    return value_baud(&o->uart_baud, v);
}

SECOND_ACT static bool set_console(struct options *o, struct value_text v)
{
    if (value_is(v, "none")) {
        o->console_port = 0;
        return true;
    }
    return value_port(&o->console_port, v);
}

static bool set_console_baud(struct options *o, struct value_text v)
{
    return value_baud(&o->console_baud, v);
}

SECOND_ACT static bool set_net_ip(struct options *o, struct value_text v)
{
    return value_ip(&o->net_ip, v);
}

SECOND_ACT static bool set_net_peer(struct options *o, struct value_text v)
{
    return value_ip(&o->net_peer, v);
}

SECOND_ACT static bool set_net_port(struct options *o, struct value_text v)
{
    return value_u16(&o->net_port, v, 1, 65535);
}

SECOND_ACT static bool set_net_mtu(struct options *o, struct value_text v)
{
    return value_u16(&o->net_mtu, v, 576, 16110);
}

SECOND_ACT static bool set_net_card(struct options *o, struct value_text v)
{
    o->net_card = NET_CARD_ANY;
    return value_is(v, "auto") || value_bdf(&o->net_card, v);
}

SECOND_ACT static bool set_net_wait(struct options *o, struct value_text v)
{
    return value_u32(&o->net_wait_seconds, v, 0, 3600);
}

SECOND_ACT static bool set_selftest(struct options *o, struct value_text v)
{
    return value_flag(&o->selftest, v);
}

SECOND_ACT static bool set_code(struct options *o, struct value_text v)
{
    return value_flag(&o->code_pages, v);
}

/* off, or four or five numbers between commas */
SECOND_ACT static bool set_tasks(struct options *o, struct value_text v)
{
    uint64_t numbers[5] = {0};
    bool good = value_is(v, "off");

    for (size_t size, nr = 0; nr < 5 && !good; v.at += size + 1, v.size -= size + 1) {
        for (size = 0; size < v.size && v.at[size] != ',';)
            size++;
        if (!value_u64(&numbers[nr++], (struct value_text){v.at, size}))
            break;
        if (size == v.size) {
            good = nr >= 4 && numbers[2] != 0;
            break;
        }
    }
    o->tasks = (struct task_fields){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    return good;
}

static const struct option options_rest[] = {
    {"policy", set_policy, "stall, drop or ring"},
    {"channel", set_channel, "auto, e1000, uart or none"},
    {"uart.port", set_uart_port, "com1 to com4, or a port in hexadecimal such as 0x2f8"},
    {"uart.baud", set_uart_baud, "a divisor of 115200"},
    {"console", set_console, "com1 to com4, a port in hexadecimal such as 0x3f8, or none"},
    {"console.baud", set_console_baud, "a divisor of 115200"},
    {"net.ip", set_net_ip, "an IPv4 address such as 10.0.2.15"},
    {"net.peer", set_net_peer, "an IPv4 address such as 10.0.2.2"},
    {"net.port", set_net_port, "a number from 1 to 65535"},
    {"net.mtu", set_net_mtu, "a number from 576 to 16110"},
    {"net.card", set_net_card, "auto, or bus:device.function such as 00:1f.6"},
    {"net.wait", set_net_wait, "seconds, from 0 to 3600"},
    {"selftest", set_selftest, "on or off"},
    {"code", set_code, "on or off"},
    {"tasks", set_tasks, "off, or what undertrace kernel-options says of the guest's kernel"},
};

static void option_error_set(struct options_error *error, struct value_text word, const char *expected)
{
    size_t n = word.size < sizeof error->word - 1 ? word.size : sizeof error->word - 1;
    for (size_t i = 0; i < n; i++)
        error->word[i] = word.at[i];
    error->word[n] = 0;
    error->expected = expected;
}

static const struct option *option_find(struct value_text name)
{
    for (size_t i = 0; i < sizeof options_rest / sizeof options_rest[0]; i++)
        if (value_is(name, options_rest[i].name))
            return &options_rest[i];
    for (size_t i = 0; i < nr_options_pt; i++)
        if (value_is(name, options_pt[i].name))
            return &options_pt[i];
    return NULL;
}

static bool option_parse_word(struct options *options, struct value_text word, struct options_error *error)
{
    size_t equals = 0;
    while (equals < word.size && word.at[equals] != '=')
        equals++;
    const struct option *option = option_find((struct value_text){word.at, equals});
    if (option && equals < word.size &&
        option->set(options, (struct value_text){word.at + equals + 1, word.size - equals - 1}))
        return true;
    option_error_set(error, word, option ? option->expected : "an option that docs/options.md lists");
    return false;
}

/* The next word behind word, whose first at is the line's start. */
static bool option_next_word(struct value_text *word)
{
    word->at += word->size;
    while (*word->at == ' ' || *word->at == '\t')
        word->at++;
    for (word->size = 0; word->at[word->size] && word->at[word->size] != ' ' && word->at[word->size] != '\t';)
        word->size++;
    return word->size > 0;
}

bool options_parse(struct options *options, const char *line, struct options_error *error)
{
    struct value_text word = {line, 0};
    while (option_next_word(&word))
        if (!option_parse_word(options, word, error))
            return false;
    if (options->pt.trigger && !options->code_pages) {
        option_error_set(error, (struct value_text){"pt.trigger", 10}, "code=on with it");
        return false;
    }
    if (options->channel == CHANNEL_UART && options->uart_port == options->console_port) {
        option_error_set(error, (struct value_text){"channel=uart", 12}, "uart.port and console to be two UARTs");
        return false;
    }
    return true;
}

/* What a command may change while the guest runs. */
static bool is_changeable(struct value_text word)
{
    static const char *const names[] = {"policy",    "pt.os",      "pt.user",   "pt.tsc",     "pt.retc", "pt.psb",
                                        "pt.branch", "pt.ptwrite", "pt.mtc",    "pt.cyc",     "pt.cr3",  "pt.range0",
                                        "pt.range1", "pt.range2",  "pt.range3", "pt.branches"};
    size_t equals = 0;
    while (equals < word.size && word.at[equals] != '=')
        equals++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (value_is((struct value_text){word.at, equals}, names[i]))
            return true;
    return false;
}

bool options_change(struct pt_options *config, const char *line, struct options_error *error)
{
    struct options options = {.pt = *config};
    struct value_text word = {line, 0};
    bool any = false;
    while (option_next_word(&word)) {
        any = true;
        if (!is_changeable(word)) {
            option_error_set(error, word, "an option that can change while the guest runs");
            return false;
        }
        if (!option_parse_word(&options, word, error))
            return false;
    }
    if (!any)
        option_error_set(error, word, "NAME=VALUE");
    *config = options.pt;
    return any;
}
