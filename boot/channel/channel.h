/* The way out for trace and records: which channel, its memory, its first record. Shell. */
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
    enum channel_kind kind; /* what it came to be: never CHANNEL_AUTO */
    struct sink *sink;      /* never NULL: the sink of CHANNEL_NONE takes everything */
    enum channel_stage stage;
    bool wanted_none;        /* channel=none was asked for: nobody waits for the trace */
    struct pci_function nic; /* CHANNEL_NET */
    struct uart_found uart;  /* CHANNEL_UART */
};

/* Bytes of arena that channel_open may take, at most. */
uint64_t channel_bytes(const struct options *options, uint16_t nr_cpus);

/* Open the channel that the options ask for. If that fails, log lines say why, and the channel is none. */
void channel_open(struct channel *channel, const struct options *options, const struct acpi_facts *acpi,
                  uint16_t nr_cpus, struct arena *arena);

/* Send the first record, text, and wait until the receiver has it. If it never does: as above. From then on log lines
 * go into the channel too. */
void channel_hello(struct channel *channel, const struct options *options, uint16_t nr_cpus, const char *text,
                   uint32_t size, struct arena *arena);

/* What the guest must not see of the channel, and the ports at which its machine goes down: all that exits. */
struct vmx_ports channel_ports(const struct channel *channel, const struct acpi_facts *acpi);

#endif
