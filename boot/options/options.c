/* Kind: core, init */
#include "boot/options/options.h"

#include "boot/options/option.h"
#include "serial/uart/uart.h"

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
        .uart = {UART_AT_PORT, 0x2f8},
        .uart_base = 115200,
        .uart_baud = 115200,
        .uart_stall_seconds = 300,
        .console = {UART_AT_PORT, 0x3f8},
        .console_baud = 115200,
        .net_ip = 0x0a00020f,
        .net_peer = 0x0a000202,
        .net_port = 21845,
        .net_mtu = 1500,
        .net_card = NET_CARD_ANY,
        .net_wait_seconds = 30,
        .net_stall_seconds = 300,
        .code_pages = true,
        .space_ends = true,
    };
}

/* --- one function per option ----------------------------------------------------------------------------------------
 */

static bool set_channel(struct options *o, struct value_text v)
{
    static const char *const names[] = {
        [CHANNEL_AUTO] = "auto", [CHANNEL_NET] = "net", [CHANNEL_UART] = "uart", [CHANNEL_NONE] = "none"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (value_is(v, names[i])) {
            o->channel = (enum channel_kind)i;
            return true;
        }
    }
    o->channel = CHANNEL_NET;
    return value_is(v, "e1000"); /* its name while Intel's were the only cards */
}

static bool set_uart_port(struct options *o, struct value_text v)
{
    return value_uart(&o->uart, v);
}

static bool set_uart_baud(struct options *o, struct value_text v)
{
    return value_u32(&o->uart_baud, v, 2, UART_BAUD_MAX);
}

static bool set_uart_stall(struct options *o, struct value_text v)
{
    return value_u32(&o->uart_stall_seconds, v, 0, 86400);
}

static bool set_uart_base(struct options *o, struct value_text v)
{
    return value_u32(&o->uart_base, v, 115200, UART_BAUD_MAX);
}

static bool set_console(struct options *o, struct value_text v)
{
    if (value_is(v, "none")) {
        o->console = (struct uart_place){UART_NONE, 0};
        return true;
    }
    return value_uart(&o->console, v);
}

static bool set_console_baud(struct options *o, struct value_text v)
{
    return value_u32(&o->console_baud, v, 2, UART_BAUD_BASE) && UART_BAUD_BASE % o->console_baud == 0;
}

static bool set_triple(struct options *o, struct value_text v)
{
    o->stop_at_triple_fault = value_is(v, "stop");
    return o->stop_at_triple_fault || value_is(v, "reset");
}

static bool set_vtd(struct options *o, struct value_text v)
{
    o->vtd = value_is(v, "on") ? VTD_ON : value_is(v, "off") ? VTD_OFF : VTD_AUTO;
    return o->vtd != VTD_AUTO || value_is(v, "auto");
}

static bool set_selftest(struct options *o, struct value_text v)
{
    return value_flag(&o->selftest, v);
}

static bool set_guest(struct options *o, struct value_text v)
{
    o->builtin_guest = value_is(v, "builtin");
    return o->builtin_guest || value_is(v, "modules");
}

static bool set_code(struct options *o, struct value_text v)
{
    return value_flag(&o->code_pages, v);
}

static bool set_code_ends(struct options *o, struct value_text v)
{
    return value_flag(&o->space_ends, v);
}

/* off, or four or five numbers between commas */
static bool set_tasks(struct options *o, struct value_text v)
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

#define UART_EXPECTED                                                                                                  \
    "com1 to com4, a port such as 0x2f8, mem:ADDRESS, mem32:ADDRESS, a PCI card such as 03:00.0, or spcr"

static const struct option options_rest[] = {
    {"channel", set_channel, "auto, net, uart or none"},
    {"uart.port", set_uart_port, UART_EXPECTED},
    {"uart.base", set_uart_base, "a number from 115200 to 4000000: the UART's clock / 16"},
    {"uart.baud", set_uart_baud, "a number from 2 to 4000000 that divides uart.base"},
    {"uart.stall", set_uart_stall, "seconds, from 0 (for ever) to 86400"},
    {"console", set_console, UART_EXPECTED ", or none"},
    {"console.baud", set_console_baud, "a divisor of 115200"},
    {"triple", set_triple, "reset or stop"},
    {"vtd", set_vtd, "on, off or auto"},
    {"selftest", set_selftest, "on or off"},
    {"guest", set_guest, "modules or builtin"},
    {"code", set_code, "on or off"},
    {"code.ends", set_code_ends, "on or off"},
    {"tasks", set_tasks, "off, or what undertrace kernel-options says of the guest's kernel"},
};

static bool parse_word(struct options *options, struct value_text word, struct options_error *error)
{
    const struct option *option = option_find(options_rest, sizeof options_rest / sizeof options_rest[0], word);
    if (!option)
        option = option_find(options_net, nr_options_net, word);
    if (!option)
        option = option_find(options_pt, nr_options_pt, word);
    if (!option)
        option = option_find(options_changeable, nr_options_changeable, word);
    if (option)
        return option_set(option, options, word, error);
    option_error_set(error, word, "an option that docs/options.md lists");
    return false;
}

bool options_parse(struct options *options, const char *line, struct options_error *error)
{
    struct value_text word = {line, 0};
    while (option_next_word(&word))
        if (!parse_word(options, word, error))
            return false;
    if (options->pt.trigger && !options->code_pages) {
        option_error_set(error, (struct value_text){"pt.trigger and pt.start", 23}, "code=on with them");
        return false;
    }
    if (options->uart_base % options->uart_baud != 0 || options->uart_base / options->uart_baud > 0xffff) {
        option_error_set(error, (struct value_text){"uart.baud", 9}, "a number that divides uart.base");
        return false;
    }
    if (options->channel == CHANNEL_UART && options->uart.kind == options->console.kind &&
        options->uart.at == options->console.at) {
        option_error_set(error, (struct value_text){"channel=uart", 12}, "uart.port and console to be two UARTs");
        return false;
    }
    return true;
}
