/* Kind: core, init */
#include "boot/options/options.h"

#include "boot/options/option.h"
#include "serial/uart/uart.h"

static bool set_channel(const struct option *option, struct options *o, struct value_text v)
{
    if (option_set_enum(option, o, v))
        return true;
    o->channel = CHANNEL_NET;
    return value_is(v, "e1000"); /* the name of net when it supported only Intel's cards */
}

static bool set_uart_port(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    return value_uart(&o->uart, v);
}

static bool set_console(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    if (value_is(v, "none")) {
        o->console = (struct uart_place){UART_NONE, 0};
        return true;
    }
    return value_uart(&o->console, v);
}

static bool set_console_baud(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    return value_u32(&o->console_baud, v, 2, UART_BAUD_BASE) && UART_BAUD_BASE % o->console_baud == 0;
}

/* off, or four or five numbers */
static bool set_tasks(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    uint64_t numbers[5] = {0};
    const bool off = value_is(v, "off");
    const unsigned nr = off ? 0 : value_list(numbers, 5, v);

    o->tasks = (struct task_fields){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    return off || (nr >= 4 && numbers[2] != 0);
}

/* off, or four numbers */
static bool set_test_first(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    uint64_t numbers[4] = {0};
    const bool off = value_is(v, "off");
    const unsigned nr = off ? 0 : value_list(numbers, 4, v);

    o->first = (struct wire_first){numbers[0], numbers[1], numbers[2], numbers[3]};
    return off || (nr == 4 && numbers[2] % 8 == 0);
}

static bool set_load(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    const bool none = value_is(v, "none");

    o->load = v.at;
    o->load_size = none ? 0 : v.size;
    return none || (v.size > 1 && v.size < 256 && (v.at[0] == '\\' || v.at[0] == '/'));
}

#define UART_EXPECTED                                                                                                  \
    "com1 to com4, a port such as 0x2f8, mem:ADDRESS, mem32:ADDRESS, a PCI card such as 03:00.0, or spcr"

static const char *const channels[] = {
    [CHANNEL_AUTO] = "auto", [CHANNEL_NET] = "net", [CHANNEL_UART] = "uart", [CHANNEL_NONE] = "none", NULL};
static const char *const vtd_options[] = {[VTD_AUTO] = "auto", [VTD_ON] = "on", [VTD_OFF] = "off", NULL};
static const char *const triple_faults[] = {"reset", "stop", NULL};
static const char *const guests[] = {"modules", "builtin", NULL};

/* clang-format off */
static const struct option options_boot[] = {
    {"channel", "auto", "auto, net, uart or none", set_channel, OPTION_FIELD(channel, unsigned), 0, 0, channels},
    {"uart.port", "com2", UART_EXPECTED, OPTION_OWN(set_uart_port)},
    {"uart.base", "115200", "a number from 115200 to 4000000: the UART's clock / 16",
     OPTION_U32(uart_base, 115200, UART_BAUD_MAX)},
    {"uart.baud", "115200", "a number from 2 to 4000000 that divides uart.base",
     OPTION_U32(uart_baud, 2, UART_BAUD_MAX)},
    {"uart.compress", "off", "off or lz4", OPTION_BOOL(uart_compress, option_words_compress)},
    {"uart.stall", "300", "seconds, from 0 (for ever) to 86400", OPTION_U32(uart_stall_seconds, 0, 86400)},
    {"console", "com1", UART_EXPECTED ", or none", OPTION_OWN(set_console)},
    {"console.baud", "115200", "a divisor of 115200", OPTION_OWN(set_console_baud)},
    {"triple", "reset", "reset or stop", OPTION_BOOL(stop_at_triple_fault, triple_faults)},
    {"mitigations", "off", "on or off", OPTION_FLAG(mitigations)},
    {"vtd", "auto", "on, off or auto", OPTION_ENUM(vtd, vtd_options)},
    {"selftest", "off", "on or off", OPTION_FLAG(selftest)},
    {"guest", "modules", "modules or builtin", OPTION_BOOL(builtin_guest, guests)},
    {"code", "on", "on or off", OPTION_FLAG(code_pages)},
    {"code.ends", "on", "on or off", OPTION_FLAG(space_ends)},
    {"load", "none", "none, or a path such as \\EFI\\debian\\grubx64.efi", OPTION_OWN(set_load)},
    {"tasks", "off", "off, or the output of undertrace kernel-options for the guest's kernel", OPTION_OWN(set_tasks)},
    {"test.first", "off", "off, or FRAME,TRACE,RECORDS,CODE as serial/wire/first.h describes", OPTION_OWN(set_test_first)},
};
/* clang-format on */
static const size_t nr_options_boot = sizeof options_boot / sizeof options_boot[0];

const struct option *option_at(size_t index)
{
    const struct {
        const struct option *rows;
        size_t nr;
    } tables[] = {{options_boot, nr_options_boot},
                  {options_net, nr_options_net},
                  {options_pt, nr_options_pt},
                  {options_changeable, nr_options_changeable}};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (index < tables[i].nr)
            return &tables[i].rows[index];
        index -= tables[i].nr;
    }
    return NULL;
}

void options_default(struct options *options)
{
    const struct option *option;

    *options = (struct options){0};
    for (size_t i = 0; (option = option_at(i)); i++) {
        struct value_text value = {option->initial, 0};
        option_next_word(&value);
        option->set(option, options, value);
    }
}

/* A word of the line, at its start or after a blank. */
static char *find_key(char *line)
{
    for (char *at = line; *at; at++)
        if (at[0] == 'k' && at[1] == 'e' && at[2] == 'y' && at[3] == '=' && (at == line || at[-1] == ' '))
            return at + 4;
    return NULL;
}

void options_hide_key(char *line)
{
    char *value;
    for (char *at = line; (value = find_key(at)); at = value)
        if (value[0] != 'o' || value[1] != 'f') /* off */
            for (char *digit = value; *digit && *digit != ' '; digit++)
                *digit = 'x';
}

static bool parse_word(struct options *options, struct value_text word, struct options_error *error)
{
    const struct option *option;

    for (size_t i = 0; (option = option_at(i)); i++)
        if (option_is_named(option, word))
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
    if ((options->pt.trigger || options->start == START_EXIT_BOOT_SERVICES) && !options->code_pages) {
        option_error_set(error, (struct value_text){"pt.trigger and pt.start", 23}, "code=on with them");
        return false;
    }
    if (options->first.trace % (options->pt.region_bytes * options->pt.nr_regions) != 0) {
        option_error_set(error, (struct value_text){"test.first", 10}, "a TRACE that pt.region * pt.regions divides");
        return false;
    }
    if (options->uart_base % options->uart_baud != 0 || options->uart_base / options->uart_baud > 0xffff) {
        option_error_set(error, (struct value_text){"uart.baud", 9}, "a number that divides uart.base");
        return false;
    }
    if (options->channel == CHANNEL_UART && options->uart.kind == options->console.kind &&
        options->uart.at == options->console.at) {
        option_error_set(error, (struct value_text){"channel=uart", 12}, "uart.port and console to be different UARTs");
        return false;
    }
    return true;
}
