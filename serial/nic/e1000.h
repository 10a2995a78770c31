/*
 * The driver of Intel's cards of 1 and 2.5 Gbit/s, polled: reset, MAC address, link, rings (serial/nic/nic.h), and the
 * format of their descriptors. serial/net/udp_send.c and udp_sink.c fill and read the rings. Core.
 *
 * Sources: Intel's "PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual" (8254x) for the
 * 82540EM; this code uses its names. The datasheets of the 82574, 82576, I350 and I210 for these cards. No manual is
 * public for I217 to I219, I225 and I226: the code follows what their drivers in iPXE and Linux have in common.
 */
#ifndef SERIAL_NIC_E1000_H
#define SERIAL_NIC_E1000_H

#include "serial/nic/e1000_cards.h"

#define E1000_MAX_DESCRIPTORS 4096u
#define E1000_RX_BUFFER_BYTES 2048u

/* Receive descriptors. We write the buffer's address and 0; the card writes back length and status: 8254x manual,
 * section 3.2.3, or 82576 datasheet, "Advanced Receive Descriptors" (there, the write-back overwrites the address). */
struct e1000_rx_descriptor {
    uint64_t address, written_back;
};
_Static_assert(sizeof(struct e1000_rx_descriptor) == 16, "8254x manual, table 3-1");

/* Where the written-back fields are: DD; EOP, without and with the error bits; the length. */
struct e1000_rx_format {
    uint64_t dd, eop, eop_or_error;
    uint64_t length_at; /* byte offset in the descriptor */
};
/* Fields: length, checksum, status, errors, special. */
#define E1000_RX_LEGACY ((struct e1000_rx_format){1ull << 32, 2ull << 32, 2ull << 32 | 0xffull << 40, 8})
/* Fields: status and errors (32 bits, of which we check RXE), length, VLAN. */
#define E1000_RX_ADVANCED ((struct e1000_rx_format){1, 2, 2 | 1ull << 31, 12})

/* Size of the received packet in bytes; 0: it is damaged, or longer than a buffer. */
static inline uint32_t e1000_rx_bytes(const volatile struct e1000_rx_descriptor *rx,
                                      const struct e1000_rx_format *format)
{
    const uint32_t bytes =
        *(const volatile uint16_t *)(const volatile void *)((const volatile uint8_t *)rx + format->length_at);

    return (rx->written_back & format->eop_or_error) == format->eop && bytes <= E1000_RX_BUFFER_BYTES ? bytes : 0;
}

/* Transmit descriptors: the 8254x's "extended" ones (sections 3.3.5 and 3.3.6), or the "advanced" ones of the 82575 and
 * its successors. DTYP distinguishes context from data descriptors. Most fields that we use are at the same position in
 * both formats. */
struct e1000_tx_descriptor {
    uint64_t low;  /* data: the buffer's address. context: positions of the checksums */
    uint64_t high; /* data: length, DTYP, DCMD, STA, POPTS; in a packet's first advanced descriptor PAYLEN */
};
_Static_assert(sizeof(struct e1000_tx_descriptor) == 16, "8254x manual, table 3-9");
#define E1000_TX_DTYP_DATA (1ull << 20)
#define E1000_TX_DTYP_ADVANCED_CONTEXT (2ull << 20)
#define E1000_TX_DTYP_ADVANCED_DATA (3ull << 20)
#define E1000_TX_EOP (1ull << 24)
#define E1000_TX_IFCS (1ull << 25)
#define E1000_TX_RS (1ull << 27)
#define E1000_TX_DEXT (1ull << 29)
#define E1000_TX_DD (1ull << 32)
#define E1000_TX_IXSM (1ull << 40)
#define E1000_TX_TXSM (1ull << 41)
#define E1000_TX_PAYLEN_SHIFT 46 /* advanced: size of the whole packet in bytes */
#define E1000_TX_CONTEXT_IP (1ull << 25)
#define E1000_TX_ADVANCED_IPV4 (1ull << 10) /* L4T, bits 12:11, is 0: UDP */

/* The low half of an extended context descriptor: start, offset and end of the IP and of the TCP/UDP checksum. An end
 * of 0 is the end of the packet. */
#define E1000_TX_CONTEXT(ipcss, ipcso, ipcse, tucss, tucso)                                                            \
    ((uint64_t)(ipcss) | (uint64_t)(ipcso) << 8 | (uint64_t)(ipcse) << 16 | (uint64_t)(tucss) << 32 |                  \
     (uint64_t)(tucso) << 40)
/* The low half of an advanced context descriptor: the lengths of both headers. */
#define E1000_TX_ADVANCED_CONTEXT(iplen, maclen) ((uint64_t)(iplen) | (uint64_t)(maclen) << 9)

extern const struct nic_driver e1000_driver;

/* Its operations. Rings have a multiple of 8 descriptors, at least 16, and are aligned to 128 bytes.
 * All receive descriptors have a buffer. */
void e1000_read_state(const struct register_access *access, const struct nic_card *card, struct nic_state *state);
const char *e1000_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6]);
bool e1000_link_is_up(struct nic *nic, uint64_t waited_us);
void e1000_start(struct nic *nic, const struct nic_rings *rings);
void e1000_stop(const struct nic *nic);

#endif
