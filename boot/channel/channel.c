/* Kind: shell, init */
#include "boot/channel/channel.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/random.h"
#include "boot/channel/channel_card.h"
#include "boot/memory/paging.h"
#include "serial/net/udp_sink.h"
#include "serial/uart/uart_sink.h"
#include "serial/wire/log_record.h"
#include "serial/wire/null_sink.h"
#include "serial/wire/record.h"

#define RECORD_BYTES (1u << 20) /* per CPU, for records that are not acknowledged yet */
#define UART_HELLO_SECONDS 30u  /* 4 KiB at 1200 baud */

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t uart_bytes(const struct options *options, uint16_t nr_cpus)
{
    return uart_sink_memory_bytes(nr_cpus, RECORD_BYTES, options->uart_compress);
}

static uint64_t net_bytes(const struct options *options, uint16_t nr_cpus)
{
    return udp_sink_memory_bytes(nr_cpus, RECORD_BYTES, options->net_compress ? options->net_mtu : 0);
}

uint64_t channel_bytes(const struct options *options, uint16_t nr_cpus)
{
    uint64_t bytes = 0;
    if (options->channel == CHANNEL_UART)
        bytes = uart_bytes(options, nr_cpus);
    else if (options->channel != CHANNEL_NONE)
        bytes = net_bytes(options, nr_cpus);
    /* The null sink is created too if the first one fails. */
    return larger_of(bytes, 4096) + 4096 + null_sink_memory_bytes(nr_cpus);
}

static void open_none(struct channel *channel, uint16_t nr_cpus, struct arena *arena)
{
    channel->kind = CHANNEL_NONE;
    channel->sink = null_sink_init(arena_take(arena, null_sink_memory_bytes(nr_cpus), 8), nr_cpus);
}

/* At least the time that a slow line needs for two FIFOs, of 10 bits a byte: until then the UART may still be sending.
 */
static uint64_t uart_stall_tsc(const struct options *options)
{
    const uint64_t fifo_seconds = UART_FIFO_BYTES * 10u / options->uart_baud + 1;
    return options->uart_stall_seconds ? larger_of(options->uart_stall_seconds, 2 * fifo_seconds) * clock_tsc_hz() : 0;
}

/* The parts that identify a session. Without RDRAND an attacker who knows when the machine was started can guess them,
 * and might play an earlier session's answers again. */
static void set_nonce(uint8_t nonce[AUTH_NONCE_BYTES])
{
    const uint64_t parts[2] = {random64(), random64()};
    _Static_assert(sizeof parts == AUTH_NONCE_BYTES, "two numbers");
    memcpy(nonce, parts, sizeof parts);
    if (!random_is_secret())
        log_line("key=: this CPU has no RDRAND: only the TSC makes the session's number random");
}

static struct sink *open_uart(struct channel *channel, const struct options *options, const struct acpi_facts *acpi,
                              uint16_t nr_cpus, struct arena *arena)
{
    char why[128] = "";
    if (options->key_given) {
        log_line("channel=uart: key= authenticates channel=net only: remove key=, or use channel=net");
        return NULL;
    }
    const char *missing = uart_find(&channel->uart, &options->uart, acpi, options->uart_base, paging_window);
    if (missing) {
        log_line("channel=uart: %s", missing);
        return NULL;
    }
    struct uart_sink_params params = {.uart = channel->uart.uart,
                                      .divisor = options->uart_base / options->uart_baud,
                                      .stream_id = (uint32_t)random64(),
                                      .first = options->first,
                                      .nr_cpus = nr_cpus,
                                      .stall_tsc = uart_stall_tsc(options),
                                      .record_bytes = RECORD_BYTES,
                                      .compresses = options->uart_compress};
    void *memory = arena_take(arena, uart_bytes(options, nr_cpus), 4096);
    struct sink *sink = uart_sink_init(memory, &params, why, sizeof why);
    if (!sink)
        log_line("channel=uart at %lx: %s", options->uart.at, why);
    return sink;
}

static const enum channel_stage stage_of_step[] = {
    [UDP_STEP_CARD] = CHANNEL_NO_START, [UDP_STEP_LINK] = CHANNEL_NO_LINK, [UDP_STEP_PEER] = CHANNEL_NO_PEER};

static void log_card(const struct nic_card *card, const struct pci_function *nic)
{
    const uint32_t sbdf = nic->sbdf;
    char segment[12] = "";

    if (PCI_SEGMENT_OF(sbdf) != 0)
        format_text(segment, sizeof segment, "%x:", PCI_SEGMENT_OF(sbdf));
    log_line("channel=net: the %s at %s%x:%x.%x", card->name, segment, PCI_BUS_OF(sbdf), sbdf >> 3 & 31, sbdf & 7);
    if (nic->path.nr > nic->path.nr_exclusive) {
        const uint16_t bridge = nic->path.bridges[nic->path.nr_exclusive];
        log_line("channel=net: the guest also uses the bridge at %s%x:%x.%x above it, and must not suspend it (Linux: "
                 "pcie_port_pm=off)",
                 segment, bridge >> 8, bridge >> 3 & 31, bridge & 7);
    }
}

static struct sink *open_net(struct channel *channel, const struct options *options, uint16_t nr_cpus,
                             struct arena *arena)
{
    struct channel_card found;
    enum udp_step step;
    if (!channel_card_find(&found, options)) {
        channel->stage = CHANNEL_NO_CARD;
        if (options->channel == CHANNEL_NET)
            log_line("channel=net: found no card that docs/hardware.md lists%s",
                     options->net_mac_given || options->net_card != NET_CARD_ANY ? " and net.card= or net.mac= selects"
                                                                                 : "");
        return NULL;
    }
    channel->nic = found.function;
    log_card(found.card, &channel->nic);
    struct udp_sink_params params = {.step = &step,
                                     .driver = found.driver,
                                     .card = found.card,
                                     .mmio_pa = channel->nic.bar_pa,
                                     .registers = paging_window(channel->nic.bar_pa),
                                     .ip = options->net_ip,
                                     .peer = options->net_peer,
                                     .port = options->net_port,
                                     .mtu = options->net_mtu,
                                     .wait_seconds = options->net_wait_seconds,
                                     .stall_seconds = options->net_stall_seconds,
                                     .tsc_hz = clock_tsc_hz(),
                                     .stream_id = (uint32_t)random64(),
                                     .dhcp_id = (uint32_t)random64(),
                                     .first = options->first,
                                     .nr_cpus = nr_cpus,
                                     .trace_bytes = options->pt.region_bytes * options->pt.nr_regions,
                                     .record_bytes = RECORD_BYTES,
                                     .compresses = options->net_compress};
    if (options->key_given) {
        params.key = &options->key;
        set_nonce(params.nonce);
    }
    char why[128] = "";
    void *memory = arena_take(arena, net_bytes(options, nr_cpus), 4096);
    struct sink *sink = udp_sink_init(memory, &params, why, sizeof why);
    if (!sink) {
        channel->stage = stage_of_step[step];
        log_line("channel=net: %s", why);
        pci_disable(&channel->nic);
    }
    return sink;
}

void channel_open(struct channel *channel, const struct options *options, const struct acpi_facts *acpi,
                  uint16_t nr_cpus, struct arena *arena)
{
    *channel = (struct channel){.kind = options->channel, .none_requested = options->channel == CHANNEL_NONE};
    channel->stage = channel->none_requested ? CHANNEL_DISABLED : CHANNEL_NO_START;
    pci_use_ecam(&acpi->ecams, paging_window);
    if (options->channel == CHANNEL_UART)
        channel->sink = open_uart(channel, options, acpi, nr_cpus, arena);
    else if (options->channel != CHANNEL_NONE)
        channel->sink = open_net(channel, options, nr_cpus, arena);
    if (channel->sink && !channel->none_requested)
        channel->stage = CHANNEL_NO_ACK;
    if (channel->sink && channel->kind == CHANNEL_AUTO)
        channel->kind = CHANNEL_NET;
    if (!channel->sink)
        open_none(channel, nr_cpus, arena);
}

static void close_unacknowledged(struct channel *channel, const struct options *options, uint16_t nr_cpus,
                                 struct arena *arena)
{
    if (channel->kind == CHANNEL_NET) {
        log_line("channel=net: no receiver acknowledged the first record%s",
                 options->net_compress ? "; with net.compress= it must read wire version 4, and have liblz4" : "");
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

    uint64_t seconds = channel->kind == CHANNEL_NET ? options->net_wait_seconds : UART_HELLO_SECONDS;
    if (!sink_drain(channel->sink, seconds * clock_tsc_hz()))
        close_unacknowledged(channel, options, nr_cpus, arena);
    else if (channel->stage == CHANNEL_NO_ACK)
        channel->stage = CHANNEL_OPEN;
    log_record_to(channel->sink);
}

/* Accesses by I/O ports reach only segment 0; functions of other segments have other values of sbdf. */
static void hide_function(struct vmx_ports *ports, const struct acpi_facts *acpi, uint32_t sbdf)
{
    ports->hidden_bdf[ports->nr_hidden] = sbdf;
    ports->hidden_ecam_pa[ports->nr_hidden] = pci_ecam_page(&acpi->ecams, sbdf);
    ports->nr_hidden++;
}

static void hide_uart(struct vmx_ports *ports, const struct acpi_facts *acpi, const struct uart_found *uart)
{
    ports->hidden_uart = uart->uart.memory ? 0 : uart->uart.port;
    ports->hidden_mmio = uart->memory;
    if (uart->on_pci)
        hide_function(ports, acpi, uart->sbdf);
}

/* Bridges that lead only to the card are hidden with it: the guest would suspend a bridge without devices. */
struct vmx_ports channel_ports(const struct channel *channel, const struct acpi_facts *acpi)
{
    struct vmx_ports ports = {.pm1a_cnt = acpi->pm1a_cnt,
                              .pm1b_cnt = acpi->pm1b_cnt,
                              .sleep_control = acpi->sleep_control,
                              .sleep_types = acpi->sleep_types,
                              .reset_port = acpi->reset_port,
                              .reset_value = acpi->reset_value,
                              .watch_power = channel->kind != CHANNEL_NONE};
    if (acpi->reset_elsewhere && channel->kind != CHANNEL_NONE)
        log_line("the machine's reset register is not an I/O port: if the guest uses it, the end of the trace is lost");
    if (acpi->sleep_elsewhere && channel->kind != CHANNEL_NONE)
        log_line("the machine's sleep register is not an I/O port: if the guest uses it to power off or to sleep, the "
                 "end of the trace is lost");
    if (channel->kind == CHANNEL_UART)
        hide_uart(&ports, acpi, &channel->uart);
    if (channel->kind == CHANNEL_NET) {
        const struct pci_function *nic = &channel->nic;
        hide_function(&ports, acpi, nic->sbdf);
        for (unsigned i = 0; i < nic->path.nr_exclusive; i++)
            hide_function(&ports, acpi, (nic->sbdf & 0xffff0000u) | nic->path.bridges[i]);
        ports.hidden_mmio = (struct range){nic->bar_pa, nic->bar_pa + nic->bar_bytes};
    }
    return ports;
}
