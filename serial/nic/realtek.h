/*
 * The driver of Realtek's cards, polled. realtek_reset.c (boot only): reset, MAC address, link, start.
 * realtek_ring.c (also while the guest runs): copies descriptors between the rings of serial/nic/nic.h and those of the
 * card. Core.
 *
 * A descriptor has four doublewords. OWN gives it to the card, which clears OWN when it has finished with it. FS and LS
 * mark the first and the last descriptor of a packet, EOR the last one of the ring. Sources:
 * serial/nic/realtek_cards.h.
 */
#ifndef SERIAL_NIC_REALTEK_H
#define SERIAL_NIC_REALTEK_H

#include "serial/nic/e1000.h"
#include "serial/nic/realtek_cards.h"

#define REALTEK_MAX_DESCRIPTORS 1024u /* RTL8169's datasheet, section 9.1; the 8139C+ has 64 */
#define REALTEK_8139_DESCRIPTORS 64u
#define REALTEK_RX_DESCRIPTORS 64u
#define REALTEK_MIN_BYTES 4u /* smallest transmit buffer: the same section */

/* Byte offsets of registers. Comments give the access width that the datasheets specify. */
enum {
    REALTEK_IDR0 = 0x00,        /* 6 bytes, written as two doublewords */
    REALTEK_MAR0 = 0x08,        /* 8 bytes */
    REALTEK_TNPDS = 0x20,       /* 8 */
    REALTEK_THPDS = 0x28,       /* 8 */
    REALTEK_COMMAND = 0x37,     /* 1 */
    REALTEK_TXPOLL = 0x38,      /* 1: 8168 */
    REALTEK_IMR = 0x3c,         /* 2 */
    REALTEK_ISR = 0x3e,         /* 2 */
    REALTEK_IMR_8125 = 0x38,    /* 4 */
    REALTEK_ISR_8125 = 0x3c,    /* 4 */
    REALTEK_TXCONFIG = 0x40,    /* 4 */
    REALTEK_RXCONFIG = 0x44,    /* 4 */
    REALTEK_9346CR = 0x50,      /* 1 */
    REALTEK_CONFIG3 = 0x54,     /* 1 */
    REALTEK_CONFIG4 = 0x55,     /* 1 */
    REALTEK_MEDIA = 0x58,       /* 1: 8139 */
    REALTEK_PHYAR = 0x60,       /* 4: 8168 */
    REALTEK_PHYSTATUS = 0x6c,   /* 1: 8168, 8125 */
    REALTEK_PMCH = 0x6f,        /* 1 */
    REALTEK_TXPOLL_8125 = 0x90, /* 2 */
    REALTEK_MAC_OCP = 0xb0,     /* 4 */
    REALTEK_GPHY_OCP = 0xb8,    /* 4 */
    REALTEK_MCU = 0xd3,         /* 1 */
    REALTEK_RX_FORMAT = 0xd8,   /* 1: 8125 */
    REALTEK_TXPOLL_8139 = 0xd9, /* 1 */
    REALTEK_RXMAXSIZE = 0xda,   /* 2: 8168, 8125 */
    REALTEK_CPLUS = 0xe0,       /* 2 */
    REALTEK_MITIGATE = 0xe2,    /* 2: 8168 */
    REALTEK_RDSAR = 0xe4,       /* 8 */
    REALTEK_TXTHRESHOLD = 0xec, /* 1: 8139. On the others: MaxTxPacketSize */
    REALTEK_MISC = 0xf0         /* 4 */
};

#define REALTEK_COMMAND_STOP 0x80u
#define REALTEK_COMMAND_RESET 0x10u
#define REALTEK_COMMAND_RX 0x08u
#define REALTEK_COMMAND_TX 0x04u
#define REALTEK_TXPOLL_NORMAL 0x40u
#define REALTEK_TXPOLL_8125_NORMAL 0x01u
#define REALTEK_9346CR_UNLOCK 0xc0u
#define REALTEK_CPLUS_TX 0x01u /* 8139 */
#define REALTEK_CPLUS_RX 0x02u
#define REALTEK_CPLUS_MULRW 0x08u
#define REALTEK_CPLUS_KEPT 0x2003u /* 8168, 8125: all other bits are cleared */
#define REALTEK_MEDIA_NO_LINK 0x04u
#define REALTEK_PHYSTATUS_LINK 0x02u
#define REALTEK_RX_ACCEPT 0x3fu
#define REALTEK_RX_BROADCAST 0x08u
#define REALTEK_RX_MINE 0x02u
#define REALTEK_TXCONFIG_GAP (3u << 24)
#define REALTEK_TXCONFIG_BURST (7u << 8)
#define REALTEK_TXCONFIG_AUTO_FIFO (1u << 7)
#define REALTEK_MISC_RX_GATED (1u << 19)
#define REALTEK_MCU_OUT_OF_BAND 0x80u
#define REALTEK_MCU_LIST_READY 0x02u
#define REALTEK_OCP_FLAG (1u << 31)
#define REALTEK_OCP_PHY 0xa400u
#define REALTEK_OCP_TX_FORMAT 0xeb58u
#define REALTEK_OCP_FIFO 0xe8deu
#define REALTEK_CONFIG3_L23 0x02u

struct realtek_descriptor {
    uint64_t options; /* first doubleword: OWN, EOR, FS, LS, size. Second: VLAN, and on newer chips checksums */
    uint64_t address;
};
_Static_assert(sizeof(struct realtek_descriptor) == 16, "RTL8169's datasheet, section 9.1.1");
#define REALTEK_OWN (1ull << 31)
#define REALTEK_EOR (1ull << 30)
#define REALTEK_FS (1ull << 29)
#define REALTEK_LS (1ull << 28)
#define REALTEK_TX_SUMS_FIRST (3ull << 17) /* IP and UDP */
#define REALTEK_TX_SUMS_SECOND ((1ull << 31 | 1ull << 29 | (uint64_t)NIC_UDP_AT << 18) << 32)
#define REALTEK_RX_BYTES 0x1fffull /* includes the FCS of 4 bytes */
#define REALTEK_RX_ERROR_8139 (1ull << 20)
#define REALTEK_RX_ERROR (1ull << 21)

/* The driver's data, at the start of NIC_DRIVER_BYTES. The card's rings follow. */
struct realtek {
    volatile struct realtek_descriptor *tx, *rx; /* the card's rings */
    /* The rings of struct nic_rings; a packet in from has two descriptors. */
    struct e1000_tx_descriptor *from;
    volatile struct e1000_rx_descriptor *to;
    const uint8_t *memory;
    uint32_t nr_from, nr_to; /* descriptors of these */
    uint32_t nr_tx;          /* descriptors of tx */
    /* Counts of descriptors, which do not wrap at the rings' ends. */
    uint32_t tx_given, tx_done;        /* copied to tx; sent by the card */
    uint32_t rx_received, rx_returned; /* copied from rx; returned to the card */
    uint64_t checksums;                /* the bits that request checksums; 0: the mtu is too large for offload */
    uint64_t rx_error;
    uint32_t tx_tail, rx_tail; /* written through struct nic's tails */
    volatile uint8_t *doorbell;
    bool is_8125;
};

#define REALTEK_RINGS_AT 256u /* offset in NIC_DRIVER_BYTES */
_Static_assert(sizeof(struct realtek) <= REALTEK_RINGS_AT, "the rings follow it");
_Static_assert(REALTEK_RINGS_AT + 16 * (REALTEK_MAX_DESCRIPTORS + REALTEK_RX_DESCRIPTORS) <= NIC_DRIVER_BYTES,
               "both rings fit");

extern const struct nic_driver realtek_driver;

/* Its operations. */
void realtek_read_state(const struct register_access *access, const struct nic_card *card, struct nic_state *state);
const char *realtek_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6]);
bool realtek_link_is_up(struct nic *nic, uint64_t waited_us);
void realtek_start(struct nic *nic, const struct nic_rings *rings);
void realtek_stop(const struct nic *nic);

/* Reclaim sent descriptors, pass new packets to the card, and copy received packets to our ring. */
void realtek_sync_rings(struct nic *nic);

#endif
