/*
 * A network card as serial/udp_*.c uses it, whoever made it: found by its PCI numbers, looked at, reset, started. Core.
 *
 * What travels lies in two rings of descriptors in memory, in the format of Intel's cards (serial/nic/e1000.h): most
 * cards read these rings themselves, and a write to their tail's register is all that gives them work. A card that has
 * another format has rings of its own besides, and its driver carries what is new from ring to ring; buffers it points
 * to, so that no payload is copied either.
 */
#ifndef SERIAL_NIC_NIC_H
#define SERIAL_NIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIC_NR_DEVICES 64u

struct nic_card {
    char name[16];                    /* for messages */
    uint8_t family, quirks;           /* of its driver's */
    uint16_t max_mtu;                 /* bytes of the largest IPv4 packet that any chip of its sends */
    uint16_t devices[NIC_NR_DEVICES]; /* PCI device ids; 0 ends them */
};

/* Registers, by byte offset, in 1, 2 or 4 bytes; and time. */
struct nic_access {
    uint32_t (*read)(void *context, uint32_t offset, unsigned bytes);
    void (*write)(void *context, uint32_t offset, unsigned bytes, uint32_t value);
    void (*wait_us)(void *context, uint32_t us);
    void *context;
};

struct nic {
    const struct nic_driver *driver;
    struct nic_access access;
    volatile uint8_t *registers;          /* the same without a call */
    uint8_t family, quirks;               /* of its card */
    bool restarted;                       /* its link: negotiated once more */
    volatile uint32_t *tx_tail, *rx_tail; /* descriptors before these indices are the card's. From start on */
    void (*carry)(struct nic *nic);       /* carry on from ring to ring; NULL: the card reads the rings itself */
    void *own;                            /* what carry needs */
};

/* Memory for the rings, in Intel's format, all zero but the addresses of receive buffers. */
struct nic_rings {
    struct e1000_tx_descriptor *tx;
    struct e1000_rx_descriptor *rx;
    uint64_t tx_pa, rx_pa;
    uint32_t nr_tx, nr_rx; /* descriptors: powers of two */
    uint16_t mtu;          /* bytes of the largest IPv4 packet that comes into tx */
    void *own;             /* NIC_OWN_BYTES for the driver */
    uint64_t own_pa;
    const uint8_t *memory; /* where physical address 0 is mapped */
};
#define NIC_OWN_BYTES (20u << 10)

/* What firmware has left of a card. */
struct nic_look {
    bool linked;
    uint8_t mac[6];
};

struct nic_driver {
    /* The card of a function by its PCI id (device << 16 | vendor) and its revision; NULL: none of this driver's. */
    const struct nic_card *(*card_of)(uint32_t id, uint8_t revision);
    /* Read, and change nothing. */
    void (*look)(const struct nic_access *access, const struct nic_card *card, struct nic_look *look);
    /* Reset the card, interrupts masked, and set the link up. nic->access and nic->registers are filled in. Its MAC
     * address goes to mac. NULL, or what it does not do, for a message. */
    const char *(*reset)(struct nic *nic, const struct nic_card *card, uint8_t mac[6]);
    /* Look at the link once: is it there? waited_us: how long it has been waited for since the reset. */
    bool (*link_is_up)(struct nic *nic, uint64_t waited_us);
    void (*start)(struct nic *nic, const struct nic_rings *rings);
    /* Nothing is read from or written to memory any more. */
    void (*stop)(const struct nic *nic);
    bool (*is_advanced)(const struct nic_card *card); /* its rings are in the 82575's format, in both directions */
    /* Behind the reset: what this very chip sends, where a card's differ. NULL: they do not. */
    uint16_t (*max_mtu)(const struct nic *nic);
};

extern const struct nic_driver e1000_driver, realtek_driver;

/* The driver of a function's card, and the card; NULL: none. */
const struct nic_driver *nic_driver_of(uint32_t id, uint8_t revision, const struct nic_card **card);

/* Of a driver's cards the one that lists the PCI device id, not 0; NULL: none does. */
const struct nic_card *nic_card_of(const struct nic_card *cards, size_t nr, uint32_t device);

/* Of one station: neither 0 nor a group's. */
bool nic_mac_is_good(const uint8_t mac[6]);

/* Descriptors before index are the card's. Stores to them are visible before this one: x86 keeps stores in order, so
 * the compiler must, too. */
static inline void nic_give(volatile uint32_t *tail, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    *tail = index;
}

static inline void nic_carry(struct nic *nic)
{
    if (nic->carry)
        nic->carry(nic);
}

#endif
