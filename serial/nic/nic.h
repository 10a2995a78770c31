/*
 * Network cards: the interface between serial/net/udp_*.c and the drivers, and the table of drivers. Core.
 *
 * Packets are described by two rings of descriptors in memory, in the format of Intel's cards (serial/nic/e1000.h).
 * Most cards read these rings themselves; a write to the ring's tail register starts them. A card with another format
 * has rings of its own, and its driver copies new descriptors between the two (sync_rings). Payloads are never copied.
 */
#ifndef SERIAL_NIC_NIC_H
#define SERIAL_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/register_access.h"

#define NIC_NR_DEVICES 64u

/* One row of a driver's table: PCI functions that the driver handles alike. */
struct nic_card {
    char name[16];                    /* for messages */
    uint16_t vendor;                  /* PCI vendor id; 0 ends a driver's table */
    uint8_t first_revision;           /* PCI functions of a lower revision are not this card */
    uint8_t family, quirks;           /* defined by the driver */
    uint16_t max_mtu;                 /* bytes of the largest IPv4 packet that any chip of this row sends */
    uint16_t devices[NIC_NR_DEVICES]; /* PCI device ids; 0 ends them */
};

/* A card in use. */
struct nic {
    const struct nic_driver *driver;
    struct register_access access;
    volatile uint8_t *registers; /* the mapped registers, for accesses while the guest runs */
    uint8_t family, quirks;      /* from its struct nic_card */
    bool renegotiated;           /* auto-negotiation was restarted once: link_is_up */
    /* From start on: the card, or its driver, owns the descriptors before these indices. */
    volatile uint32_t *tx_tail, *rx_tail;
    void (*sync_rings)(struct nic *nic); /* copies new descriptors between the rings; NULL: the card reads ours */
    void *driver_data;                   /* for sync_rings */
};

/* Where checksum offload finds the headers of a packet in the transmit ring: Ethernet, IPv4 without options, UDP. */
#define NIC_IPV4_AT 14u
#define NIC_IPV4_BYTES 20u
#define NIC_IPV4_CHECKSUM_AT (NIC_IPV4_AT + 10u)
#define NIC_UDP_AT (NIC_IPV4_AT + NIC_IPV4_BYTES)
#define NIC_UDP_CHECKSUM_AT (NIC_UDP_AT + 6u)

/* Memory for the rings, in Intel's format. All of it is zero except for the addresses of receive buffers. */
struct nic_rings {
    struct e1000_tx_descriptor *tx;
    struct e1000_rx_descriptor *rx;
    uint64_t tx_pa, rx_pa;
    uint32_t nr_tx, nr_rx; /* descriptors: powers of two */
    uint16_t mtu;          /* bytes of the largest IPv4 packet that tx will describe */
    void *driver_data;     /* NIC_DRIVER_BYTES for the driver, page-aligned */
    uint64_t driver_data_pa;
    const uint8_t *memory; /* where physical address 0 is mapped */
};
#define NIC_DRIVER_BYTES (20u << 10)

/* The state in which firmware or an earlier system has left a card. */
struct nic_state {
    bool link_up;
    uint8_t mac[6];
};

struct nic_driver {
    const struct nic_card *cards; /* ends with a row whose vendor is 0 */
    /* Read the state without changing anything. */
    void (*read_state)(const struct register_access *access, const struct nic_card *card, struct nic_state *state);
    /* Reset the card, mask its interrupts, enable its link and return its MAC address in mac. nic->access and
     * nic->registers are set. Returns NULL, or a predicate for an error message, such as "does not answer". */
    const char *(*reset)(struct nic *nic, const struct nic_card *card, uint8_t mac[6]);
    /* Read the link's state once. waited_us: time since the reset; a driver may restart negotiation after a while. */
    bool (*link_is_up)(struct nic *nic, uint64_t waited_us);
    /* Set up the rings, and start transmitting and receiving. Sets the tails of nic, and sync_rings if needed. */
    void (*start)(struct nic *nic, const struct nic_rings *rings);
    /* Stop: the card no longer accesses memory. */
    void (*stop)(const struct nic *nic);
    /* Does the card use the 82575's "advanced" descriptors in both directions? NULL: no. */
    bool (*is_advanced)(const struct nic_card *card);
    /* After the reset: the limit of this chip, if the chips of a row differ. NULL: it is the row's max_mtu. */
    uint16_t (*max_mtu)(const struct nic *nic);
};

extern const struct nic_driver *const nic_drivers[]; /* all of them; NULL ends it */

/* Find the driver and the table row of a PCI function. id: device << 16 | vendor. NULL: no driver handles it. */
const struct nic_driver *nic_driver_of(uint32_t id, uint8_t revision, const struct nic_card **card);

/* Is it the address of a single station: neither 0 nor multicast? */
bool nic_mac_is_good(const uint8_t mac[6]);

/* Hand the descriptors before index to the card. Stores to them must be visible before this one; x86 keeps the order of
 * stores, so only the compiler needs a barrier. */
static inline void nic_tail_set(volatile uint32_t *tail, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    *tail = index;
}

static inline void nic_sync_rings(struct nic *nic)
{
    if (nic->sync_rings)
        nic->sync_rings(nic);
}

#endif
