#include "tests/judge/text/ptdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/psb.h"
#include "decode/engine/packet_rules.h"
#include "decode/report/dump_line.h"
#include "tests/judge/events/refused.h"

#define VALUE_MAX 32u
#define OFFSET_WIDTH 18 /* of a line of the product, with two spaces */
#define WORDS_WIDTH 36  /* name and payload, where a column follows */

/* What is kept from packet to packet. */
struct printer {
    const struct ptdump_options *options;
    struct dump_time time;
    uint64_t last;    /* of what --time or --tcal shows */
    uint64_t last_ip; /* of what --lastip shows */
    uint64_t errors;
};

/* A column after the payload. */
struct column {
    const char *name; /* NULL: there is none */
    char value[VALUE_MAX];
};

static bool is_shown(const struct packet *packet, const struct ptdump_options *options)
{
    switch (packet->kind) {
    case PT_PACKET_PAD:
        return !options->no_pad;
    case PT_PACKET_CYC:
        return !options->no_timing && !options->no_cyc;
    case PT_PACKET_TSC:
    case PT_PACKET_TMA:
    case PT_PACKET_MTC:
    case PT_PACKET_CBR:
        return !options->no_timing;
    default:
        return true;
    }
}

static void say_error(uint64_t offset, const char *what, enum dump_time_error error)
{
    if (error)
        printf("[%" PRIx64 ": %s: %s]\n", offset, what, dump_time_text(error));
}

static void say_errors(uint64_t offset, const struct dump_time_errors *errors)
{
    say_error(offset, "calibration error", errors->uncalibrated);
    say_error(offset, "error calibrating time", errors->calibration);
    say_error(offset, "error updating time", errors->clock);
    if (errors->cycles_lost)
        printf("[%" PRIx64 ": error updating time: no calibration]\n", offset);
}

/* A cycle's length in ticks. */
static double in_ticks(uint64_t cycle)
{
    return (double)cycle / DUMP_TIME_ONE;
}

/* The TSC, or how much later it is. */
static void write_clock(char *value, struct printer *printer)
{
    const uint64_t tsc = printer->time.tsc, last = printer->last;
    if (!printer->options->time_delta)
        snprintf(value, VALUE_MAX, "%016" PRIx64, tsc);
    else
        snprintf(value, VALUE_MAX, "%c%" PRIx64, last <= tsc ? '+' : '-', last <= tsc ? tsc - last : last - tsc);
    printer->last = tsc;
}

static void write_calibration(char *value, struct printer *printer, uint64_t cycle)
{
    if (!printer->options->time_delta)
        snprintf(value, VALUE_MAX, "%.3f", in_ticks(cycle));
    else
        snprintf(value, VALUE_MAX, "%+.3f", in_ticks(cycle) - in_ticks(printer->last));
    printer->last = cycle;
}

/* What --time or --tcal has for this packet. Returns its name; NULL: nothing. */
static const char *show_time(char *value, struct printer *printer, const struct packet *packet, uint64_t offset)
{
    const struct ptdump_options *options = printer->options;
    const bool both = packet->kind == PT_PACKET_TSC || packet->kind == PT_PACKET_MTC;
    bool known;
    uint64_t cycle;
    if (options->time &&
        (both || packet->kind == PT_PACKET_TMA || (packet->kind == PT_PACKET_CYC && !options->no_cyc))) {
        if ((known = printer->time.tsc_known || options->no_wall_clock))
            write_clock(value, printer);
    } else if (options->tcal && (both || packet->kind == PT_PACKET_CBR)) {
        if ((known = dump_time_cycle(&printer->time, &cycle)))
            write_calibration(value, printer, cycle);
    } else {
        return NULL;
    }
    if (!known) {
        say_error(offset, "error printing time", DUMP_TIME_NONE);
        strcpy(value, "<unavailable>");
    }
    return options->time ? "tsc" : "fcr";
}

static void take_time(struct printer *printer, const struct packet *packet, uint64_t offset)
{
    if (packet->kind == PT_PACKET_CYC && printer->options->no_cyc)
        return;
    const struct dump_time_errors errors = dump_time_take(&printer->time, packet);
    say_errors(offset, &errors);
}

static void restart(struct printer *printer)
{
    printer->last_ip = printer->last = 0;
    dump_time_begin(&printer->time, &printer->options->setup);
}

/* SKZ84: neither the packet nor the byte after it is valid. */
static void print_invalid(const struct printer *printer, uint64_t offset)
{
    if (printer->options->quiet)
        return;
    if (!printer->options->no_offset)
        printf("%016" PRIx64 "  ", offset);
    puts("<invalid>");
}

static void show_mode(struct column *column, const struct packet *packet)
{
    static const char *const modes[] = {"16-bit", "32-bit", "64-bit"};
    column->name = "em";
    strcpy(column->value, modes[packet->cs_l ? 2 : packet->cs_d]);
}

static void show_ip(struct column *column, struct printer *printer, const struct packet *packet)
{
    column->name = "ip";
    if (pt_ip_expand(&printer->last_ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, printer->last_ip))
        snprintf(column->value, VALUE_MAX, "%016" PRIx64, printer->last_ip);
    else
        strcpy(column->value, "<suppressed>");
}

static bool has_ip(const struct packet *packet)
{
    return packet->kind == PT_PACKET_TIP || packet->kind == PT_PACKET_TIP_PGE || packet->kind == PT_PACKET_TIP_PGD ||
           packet->kind == PT_PACKET_FUP;
}

/* What the options add after the payload; packets that have a value of their own there keep it. */
static struct column add_column(struct printer *printer, const struct packet *packet, uint64_t offset)
{
    const struct ptdump_options *options = printer->options;
    struct column column = {NULL, ""};
    if (packet->kind == PT_PACKET_PSB)
        printer->last_ip = 0;
    if (options->time || options->tcal) {
        take_time(printer, packet, offset);
        column.name = show_time(column.value, printer, packet, offset);
    }
    if (options->exec_mode && packet->kind == PT_PACKET_MODE_EXEC)
        show_mode(&column, packet);
    else if (options->last_ip && has_ip(packet))
        show_ip(&column, printer, packet);
    return column;
}

static void print_raw(const uint8_t *bytes, const struct packet *packet)
{
    for (unsigned i = 0; i < packet->size; i++)
        printf("%02x", bytes[i]);
    printf("%*s", 2 * ((int)PT_PACKET_MAX_SIZE - packet->size) + 2, "");
}

/* The product's line, with other columns in front of its words and after them. */
static void print_packet(struct printer *printer, const uint8_t *bytes, uint64_t offset, const struct packet *packet)
{
    const struct ptdump_options *options = printer->options;
    char line[DUMP_LINE_MAX];
    const struct column column = add_column(printer, packet, offset);
    if (!is_shown(packet, options) || options->quiet)
        return;
    line[dump_line(line, offset, packet) - 1] = '\0';
    if (!options->no_offset)
        printf("%.*s", OFFSET_WIDTH, line);
    if (options->raw)
        print_raw(bytes, packet);
    if (column.name)
        printf("%-*s %-5s%s\n", WORDS_WIDTH, line + OFFSET_WIDTH, column.name, column.value);
    else
        puts(line + OFFSET_WIDTH);
}

/* How many bytes the packet takes, with SKD007 and SKZ84. */
static int read_packet(struct packet *packet, const uint8_t *bytes, uint64_t size, const struct ptdump_options *options)
{
    const int length = packet_parse(packet, bytes, (size_t)size);
    if (length > 0 && options->skd007 && packet_swallowed_ovf(packet, bytes, size))
        return 1 + packet_parse(packet, bytes + 1, (size_t)(size - 1));
    return length;
}

static void print_error(const uint8_t *bytes, uint64_t offset, uint64_t size, bool damaged)
{
    const bool packet = damaged || packets_refused(bytes, size) == FLOW_ERROR_PACKET;
    printf("[%" PRIx64 ": error decoding packet: %s]\n", offset, packet ? "unknown packet" : "unknown opcode");
}

uint64_t ptdump_print(const uint8_t *bytes, uint64_t size, const struct ptdump_options *options)
{
    struct printer printer = {.options = options};
    uint64_t at = options->no_sync ? 0 : psb_next(bytes, size, 0);
    uint64_t psb = at;
    restart(&printer);
    while (at < size) {
        struct packet packet;
        const int length = read_packet(&packet, bytes + at, size - at, options);
        const bool damaged = length > 0 && packet_is_damaged_tma(&packet, bytes + at);
        if (damaged && options->skz84) {
            print_invalid(&printer, at);
            at += (uint64_t)length + 1;
            continue;
        }
        if (length == PT_PARSE_TRUNCATED)
            break;
        if (length < 0 || damaged) {
            print_error(bytes + at, at, size - at, damaged);
            printer.errors++;
            restart(&printer);
            at = psb_next(bytes, size, at > psb + PSB_BYTES ? at - (PSB_BYTES - 1) : psb + 1);
            continue;
        }
        psb = packet.kind == PT_PACKET_PSB ? at : psb;
        print_packet(&printer, bytes + at, at, &packet);
        at += (uint64_t)length;
    }
    return printer.errors;
}
