#include "boot/channel.h"

#include <string.h>

#include "pt/msr.h"
#include "serial/clock.h"
#include "serial/e1000_mmio.h"
#include "serial/log.h"
#include "serial/null_sink.h"
#include "serial/record.h"
#include "serial/uart_sink.h"
#include "serial/udp_sink.h"

#define RECORD_BYTES (1u << 20) /* records that wait for their acknowledgement, per CPU */
#define UART_HELLO_SECONDS 30u  /* 4 KiB at 1200 baud */

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t channel_bytes(const struct options *options, uint16_t nr_cpus)
{
    uint64_t bytes = 0;
    if (options->channel == CHANNEL_UART)
        bytes = uart_sink_memory_bytes(nr_cpus, RECORD_BYTES);
    else if (options->channel != CHANNEL_NONE)
        bytes = udp_sink_memory_bytes(nr_cpus, RECORD_BYTES);
    /* The null sink comes second where the first one fails. */
    return larger_of(bytes, 4096) + 4096 + null_sink_memory_bytes(nr_cpus);
}

static void open_none(struct channel *channel, uint16_t nr_cpus, struct arena *arena)
{
    channel->kind = CHANNEL_NONE;
    channel->sink = null_sink_init(arena_take(arena, null_sink_memory_bytes(nr_cpus), 8), nr_cpus);
}

static struct sink *open_uart(const struct options *options, uint16_t nr_cpus, struct arena *arena)
{
    struct uart_sink_params params = {.port = options->uart_port,
                                      .baud = options->uart_baud,
                                      .stream_id = clock_stream_id(),
                                      .nr_cpus = nr_cpus,
                                      .record_bytes = RECORD_BYTES};
    char why[128] = "";
    void *memory = arena_take(arena, uart_sink_memory_bytes(nr_cpus, RECORD_BYTES), 4096);
    struct sink *sink = uart_sink_init(memory, &params, why, sizeof why);
    if (!sink)
        log_line("channel=uart, port %x: %s", options->uart_port, why);
    return sink;
}

/* The first card that we can drive, but rather one that firmware has left with a link: none is reset that is not ours.
 */
static const struct e1000_card *find_card(struct pci_function *found, const struct options *options)
{
    const struct e1000_card *first = NULL;
    uint32_t id;

    for (uint32_t bdf = 0; pci_find(&bdf, &id); bdf++) {
        const struct e1000_card *card = e1000_card_of(id);
        struct pci_function function;
        if (!card || (options->net_card != NET_CARD_ANY && options->net_card != bdf) || !pci_open(&function, bdf))
            continue;
        const bool linked = e1000_mmio_has_link(function.bar0_pa);
        if (first && linked)
            pci_close(found);
        if (!first || linked) {
            *found = function;
            first = card;
        } else {
            pci_close(&function);
        }
        if (linked)
            break;
    }
    if (first)
        pci_use(found);
    return first;
}

static struct sink *open_e1000(struct channel *channel, const struct options *options, uint16_t nr_cpus,
                               struct arena *arena)
{
    const struct e1000_card *card = find_card(&channel->nic, options);
    if (!card) {
        if (options->channel == CHANNEL_E1000)
            log_line("channel=e1000: none of Intel's cards that docs/hardware.md lists is on the PCI bus");
        return NULL;
    }
    log_line("channel=e1000: the %s at %x:%x.%x", card->name, channel->nic.bdf >> 8, channel->nic.bdf >> 3 & 31,
             channel->nic.bdf & 7);
    struct udp_sink_params params = {.card = card,
                                     .mmio_pa = channel->nic.bar0_pa,
                                     .ip = options->net_ip,
                                     .peer = options->net_peer,
                                     .port = options->net_port,
                                     .mtu = options->net_mtu,
                                     .wait_seconds = options->net_wait_seconds,
                                     .tsc_hz = clock_tsc_hz(),
                                     .stream_id = clock_stream_id(),
                                     .nr_cpus = nr_cpus,
                                     .trace_bytes = options->pt.region_bytes * options->pt.nr_regions,
                                     .record_bytes = RECORD_BYTES};
    char why[128] = "";
    void *memory = arena_take(arena, udp_sink_memory_bytes(nr_cpus, RECORD_BYTES), 4096);
    struct sink *sink = udp_sink_init(memory, &params, why, sizeof why);
    if (!sink) {
        log_line("channel=e1000: %s", why);
        pci_disable(&channel->nic);
    }
    return sink;
}

void channel_open(struct channel *channel, const struct options *options, uint16_t nr_cpus, struct arena *arena)
{
    *channel = (struct channel){.kind = options->channel, .wanted_none = options->channel == CHANNEL_NONE};
    if (options->channel == CHANNEL_UART)
        channel->sink = open_uart(options, nr_cpus, arena);
    else if (options->channel != CHANNEL_NONE)
        channel->sink = open_e1000(channel, options, nr_cpus, arena);
    if (channel->sink && channel->kind == CHANNEL_AUTO)
        channel->kind = CHANNEL_E1000;
    if (!channel->sink)
        open_none(channel, nr_cpus, arena);
}

static void close_unheard(struct channel *channel, uint16_t nr_cpus, struct arena *arena)
{
    if (channel->kind == CHANNEL_E1000) {
        log_line("channel=e1000: no receiver acknowledged the first record");
        udp_sink_stop(channel->sink);
        pci_disable(&channel->nic);
    } else {
        log_line("channel=uart: the UART does not send");
    }
    open_none(channel, nr_cpus, arena);
}

void channel_hello(struct channel *channel, const struct options *options, uint16_t nr_cpus, const char *text,
                   uint32_t size, struct arena *arena)
{
    uint32_t padded = (size + 7) & ~7u;
    uint8_t *record = arena_take(arena, sizeof(struct record_header) + padded, 8);
    struct record_header header = {.kind = RECORD_HELLO, .length = size, .tsc = tsc_read()};
    memcpy(record, &header, sizeof header);
    memcpy(record + sizeof header, text, size);
    sink_record(channel->sink, 0, &(struct sink_piece){record, (uint32_t)sizeof header + padded}, 1);

    uint64_t seconds = channel->kind == CHANNEL_E1000 ? options->net_wait_seconds : UART_HELLO_SECONDS;
    if (!sink_drain(channel->sink, seconds * clock_tsc_hz()))
        close_unheard(channel, nr_cpus, arena);
    log_sink_set(channel->sink);
}

struct vmx_ports channel_ports(const struct channel *channel, const struct options *options,
                               const struct acpi_facts *acpi)
{
    struct vmx_ports ports = {.pm1a_cnt = acpi->pm1a_cnt,
                              .pm1b_cnt = acpi->pm1b_cnt,
                              .reset_port = acpi->reset_port,
                              .reset_value = acpi->reset_value,
                              .watch_power = channel->kind != CHANNEL_NONE};
    if (channel->kind == CHANNEL_UART)
        ports.hidden_uart = options->uart_port;
    if (channel->kind == CHANNEL_E1000) {
        const struct pci_function *nic = &channel->nic;
        ports.hide_pci = true;
        ports.hidden_bdf = nic->bdf;
        ports.hidden_ecam_pa = acpi_ecam_page(acpi, nic->bdf);
        ports.hidden_mmio = (struct range){nic->bar0_pa, nic->bar0_pa + nic->bar0_bytes};
    }
    return ports;
}
