#include "decode/cli/text/ptdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/psb.h"
#include "decode/engine/packet_rules.h"
#include "decode/engine/refused.h"

#define VALUE_MAX 32u

/* What is kept from packet to packet. */
struct printer {
    struct ptdump_options *options;
    struct dump_time time;
    uint64_t last; /* of what --time or --tcal shows */
    uint64_t errors;
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
    printer->options->style.ip = printer->last = 0;
    dump_time_begin(&printer->time, &printer->options->setup);
}

/* SKZ84: neither what it tells nor the byte behind it can be relied on. */
static void print_invalid(const struct printer *printer, uint64_t offset)
{
    if (printer->options->quiet)
        return;
    if (!printer->options->style.no_offset)
        printf("%016" PRIx64 "  ", offset);
    puts("<invalid>");
}

static void print_packet(struct printer *printer, const uint8_t *bytes, uint64_t offset, const struct packet *packet,
                         bool wanted)
{
    struct ptdump_options *options = printer->options;
    char line[DUMP_LINE_MAX], value[VALUE_MAX];
    options->style.name = NULL;
    if (options->time || options->tcal) {
        take_time(printer, packet, offset);
        options->style.name = show_time(value, printer, packet, offset);
        options->style.value = value;
    }
    options->style.raw = options->raw ? bytes : NULL;
    const size_t written = dump_line_as(line, offset, packet, &options->style);
    if (wanted && is_shown(packet, options) && !options->quiet)
        fwrite(line, 1, written, stdout);
}

uint64_t ptdump_print(const uint8_t *bytes, uint64_t begin, uint64_t size, uint64_t from, uint64_t to,
                      struct ptdump_options *options)
{
    struct printer printer = {.options = options};
    uint64_t at = options->no_sync ? 0 : psb_next(bytes, size, 0);
    uint64_t psb = at;
    restart(&printer);
    while (at < size && begin + at < to) {
        struct packet packet;
        int length = packet_parse(&packet, bytes + at, (size_t)(size - at));
        if (length > 0 && options->skd007 && packets_swallowed_ovf(&packet, bytes + at, size - at))
            length = 1 + packet_parse(&packet, bytes + at + 1, (size_t)(size - at - 1));
        const bool damaged = length > 0 && packet_is_damaged_tma(&packet, bytes + at);
        if (damaged && options->skz84) {
            if (begin + at >= from)
                print_invalid(&printer, begin + at);
            at += (uint64_t)length + 1;
            continue;
        }
        if (length == PT_PARSE_TRUNCATED)
            break;
        if (length < 0 || damaged) {
            printf("[%" PRIx64 ": error decoding packet: %s]\n", begin + at,
                   damaged || packets_refused(bytes + at, size - at) == FLOW_ERROR_PACKET ? "unknown packet"
                                                                                          : "unknown opcode");
            printer.errors++;
            restart(&printer);
            at = psb_next(bytes, size, at > psb + PSB_BYTES ? at - (PSB_BYTES - 1) : psb + 1);
            continue;
        }
        psb = packet.kind == PT_PACKET_PSB ? at : psb;
        print_packet(&printer, bytes + at, begin + at, &packet, begin + at >= from);
        at += (uint64_t)length;
    }
    return printer.errors;
}
