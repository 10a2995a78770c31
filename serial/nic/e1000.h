/*
 * Intel's cards of 1 and 2.5 Gbit/s, polled: reset, MAC address, link, rings (serial/nic/nic.h). What travels in
 * the rings is serial/net/udp_sink.c's business. Core: the registers are reached through struct nic_access.
 *
 * Source: Intel's "PCI/PCI-X Family of Gigabit Ethernet Controllers Software Developer's Manual" (8254x) for the
 * 82540EM, whose names are used; the datasheets of the 82574, 82576, I350 and I210 for theirs. Of I217 to I219, I225
 * and I226 no manual is public: what is written here is what their drivers in iPXE and Linux have in common.
 */
#ifndef SERIAL_NIC_E1000_H
#define SERIAL_NIC_E1000_H

#include "serial/nic/e1000_cards.h"

#define E1000_MAX_DESCRIPTORS 4096u
#define E1000_RX_BUFFER_BYTES 2048u

/* Receive descriptors. We write the buffer's address and 0; the card writes back what has come: 8254x manual, section
 * 3.2.3, or 82576 datasheet, "Advanced Receive Descriptors", where the address is gone then. */
struct e1000_rx_descriptor {
    uint64_t address, written_back;
};
_Static_assert(sizeof(struct e1000_rx_descriptor) == 16, "8254x manual, table 3-1");

/* What is where in that: DD, EOP and what must not be set beside it, the length. */
struct e1000_rx_format {
    uint64_t dd, eop, eop_or_error;
    uint64_t length_at; /* byte of the descriptor */
};
/* Length, checksum, status, errors, special. */
#define E1000_RX_LEGACY ((struct e1000_rx_format){1ull << 32, 2ull << 32, 2ull << 32 | 0xffull << 40, 8})
/* Status and error (32 bits; of the errors RXE), length, VLAN. */
#define E1000_RX_ADVANCED ((struct e1000_rx_format){1, 2, 2 | 1ull << 31, 12})

/* Bytes of the packet that was written back; 0: it is damaged, or longer than a buffer. */
static inline uint32_t e1000_rx_bytes(const volatile struct e1000_rx_descriptor *rx,
                                      const struct e1000_rx_format *format)
{
    const uint32_t bytes =
        *(const volatile uint16_t *)(const volatile void *)((const volatile uint8_t *)rx + format->length_at);

    return (rx->written_back & format->eop_or_error) == format->eop && bytes <= E1000_RX_BUFFER_BYTES ? bytes : 0;
}

/* Transmit descriptors: "extended" of the 8254x (sections 3.3.5 and 3.3.6), "advanced" of the 82575 and its successors:
 * context and data, told apart by DTYP. Most of what is used of them stands in the same place. */
struct e1000_tx_descriptor {
    uint64_t low;  /* data: the buffer's address. context: what to sum up */
    uint64_t high; /* data: length, DTYP, DCMD, STA, POPTS, and PAYLEN of the advanced one's first */
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
#define E1000_TX_PAYLEN_SHIFT 46 /* advanced: bytes of the whole packet */
#define E1000_TX_CONTEXT_IP (1ull << 25)
#define E1000_TX_ADVANCED_IPV4 (1ull << 10) /* L4T, bits 12:11, stays at 0: UDP */

/* The low half of an extended context: starts, places and ends of the IP and the TCP/UDP checksum. An end of 0 means
 * the end of the packet. */
#define E1000_TX_CONTEXT(ipcss, ipcso, ipcse, tucss, tucso)                                                            \
    ((uint64_t)(ipcss) | (uint64_t)(ipcso) << 8 | (uint64_t)(ipcse) << 16 | (uint64_t)(tucss) << 32 |                  \
     (uint64_t)(tucso) << 40)
/* Of an advanced one: the lengths of both headers. */
#define E1000_TX_ADVANCED_CONTEXT(iplen, maclen) ((uint64_t)(iplen) | (uint64_t)(maclen) << 9)

/* What is behind e1000_driver. Rings have a multiple of 8 descriptors, at least 16, and are aligned to 128;
 * for receiving, all are filled in. */
const struct nic_card *e1000_card_of(uint32_t id);
void e1000_look(const struct nic_access *access, const struct nic_card *card, struct nic_look *look);
const char *e1000_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6]);
bool e1000_link_is_up(struct nic *nic, uint64_t waited_us);
void e1000_start(struct nic *nic, const struct nic_rings *rings);
void e1000_stop(const struct nic *nic);

#endif
