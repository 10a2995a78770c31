/* The channel for trace and records: opening it, its memory, its first record. */
#ifndef BOOT_CHANNEL_CHANNEL_H
#define BOOT_CHANNEL_CHANNEL_H

#include "base/arena.h"
#include "boot/acpi/acpi.h"
#include "boot/channel/channel_stage.h"
#include "boot/channel/uart_find.h"
#include "boot/memory/carve.h"
#include "boot/options/options.h"
#include "serial/pci/pci.h"
#include "serial/wire/sink.h"
#include "vmx/vmx.h"

struct channel {
    enum channel_kind kind; /* the kind in use: never CHANNEL_AUTO */
    struct sink *sink;      /* never NULL: the sink of CHANNEL_NONE discards everything */
    enum channel_stage stage;
    bool none_requested;     /* channel=none was given: the trace is discarded on purpose */
    struct pci_function nic; /* CHANNEL_NET */
    struct uart_found uart;  /* CHANNEL_UART */
};

/* Are frames compressed by the channel in use? */
static inline bool channel_compresses(const struct channel *channel, const struct options *options)
{
    return (channel->kind == CHANNEL_NET && options->net_compress) ||
           (channel->kind == CHANNEL_UART && options->uart_compress);
}

/* The most bytes that channel_open allocates from the arena. */
uint64_t channel_bytes(const struct options *options, uint16_t nr_cpus);

/* Open the channel that the options select. If that fails, the reason is logged and the channel is CHANNEL_NONE. */
void channel_open(struct channel *channel, const struct options *options, const struct acpi_facts *acpi,
                  uint16_t nr_cpus, struct arena *arena);

/* Send text as the first record, and wait until the receiver acknowledges it; if it does not, as above. Afterwards log
 * lines go to the channel as well. */
void channel_hello(struct channel *channel, const struct options *options, uint16_t nr_cpus, const char *text,
                   uint32_t size, struct arena *arena);

/* The ports and PCI functions whose accesses must exit: the channel's, and those for power-off, sleep and reset. */
struct vmx_ports channel_ports(const struct channel *channel, const struct acpi_facts *acpi);

#endif
