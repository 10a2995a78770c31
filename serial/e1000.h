/*
 * The Intel 82540EM, polled: reset, link, rings. What travels in the rings is serial/udp_sink.c's business. Shell.
 *
 * Source: Intel, "PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual" (8254x): chapter 3
 * "Receive and Transmit Description", chapter 13 "Register Descriptions", chapter 14 "General Initialization and Reset
 * Operation". Names are that manual's.
 */
#ifndef SERIAL_E1000_H
#define SERIAL_E1000_H

#include <stdbool.h>
#include <stdint.h>

#define E1000_MAX_DESCRIPTORS 4096u
#define E1000_RX_BUFFER_BYTES 2048u

/* Receive descriptor: section 3.2.3. */
struct e1000_rx_descriptor {
    uint64_t address;
    uint16_t length, checksum;
    uint8_t status, errors;
    uint16_t special;
};
_Static_assert(sizeof(struct e1000_rx_descriptor) == 16, "8254x manual, table 3-1");
#define E1000_RX_STATUS_DD 0x01u
#define E1000_RX_STATUS_EOP 0x02u

/* Transmit descriptor, extended: data (section 3.3.6) and context (section 3.3.5) share its size. */
struct e1000_tx_descriptor {
    uint64_t low;  /* data: the buffer's address. context: what to sum up */
    uint64_t high; /* data: length, type, DCMD, STA, POPTS */
};
_Static_assert(sizeof(struct e1000_tx_descriptor) == 16, "8254x manual, table 3-9");
#define E1000_TX_DTYP_DATA (1ull << 20)
#define E1000_TX_EOP (1ull << 24)
#define E1000_TX_IFCS (1ull << 25)
#define E1000_TX_RS (1ull << 27)
#define E1000_TX_DEXT (1ull << 29)
#define E1000_TX_DD (1ull << 32)
#define E1000_TX_IXSM (1ull << 40)
#define E1000_TX_TXSM (1ull << 41)
#define E1000_TX_CONTEXT_IP (1ull << 25)

/* Context descriptor's low half: starts, places and ends of the IP and the TCP/UDP checksum. An end of 0 means the end
 * of the packet. */
#define E1000_TX_CONTEXT(ipcss, ipcso, ipcse, tucss, tucso)                                                            \
    ((uint64_t)(ipcss) | (uint64_t)(ipcso) << 8 | (uint64_t)(ipcse) << 16 | (uint64_t)(tucss) << 32 |                  \
     (uint64_t)(tucso) << 40)

struct e1000 {
    volatile uint32_t *mmio;
    uint64_t tsc_hz;
};

/* Reset the NIC, interrupts masked, and set the link up. Read its MAC address. false: it does not answer. */
bool e1000_reset(struct e1000 *nic, uint64_t mmio_pa, uint64_t tsc_hz, uint8_t mac[6]);

bool e1000_link_is_up(const struct e1000 *nic);

/* Start a ring of nr descriptors (a multiple of 8) at pa, aligned to 16. For receiving, all are filled in. */
void e1000_start_tx(const struct e1000 *nic, uint64_t pa, uint32_t nr);
void e1000_start_rx(const struct e1000 *nic, uint64_t pa, uint32_t nr);

/* Nothing is read from or written to memory any more. */
void e1000_stop(const struct e1000 *nic);

enum { E1000_RDT = 0x2818 / 4, E1000_TDT = 0x3818 / 4 };

/* Descriptors before index are the NIC's. Stores to them are visible before this one: x86 keeps stores in order, so the
 * compiler must, too. */
static inline void e1000_give_tx(const struct e1000 *nic, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    nic->mmio[E1000_TDT] = index;
}

static inline void e1000_give_rx(const struct e1000 *nic, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    nic->mmio[E1000_RDT] = index;
}

#endif
