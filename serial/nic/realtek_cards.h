/*
 * Realtek's cards with descriptor rings: the table of PCI device ids, and the chips. Core.
 *
 * One PCI device id covers chips of twenty years. The chip's own number, bits 31:20 of TxConfig (XID), distinguishes
 * them. Sources: the datasheets of the RTL8139C+ and the RTL8169. Realtek has published none for later chips: for these
 * the code follows what their drivers in Linux (r8169), U-Boot and iPXE have in common. docs/hardware.md lists the
 * resulting rules.
 */
#ifndef SERIAL_NIC_REALTEK_CARDS_H
#define SERIAL_NIC_REALTEK_CARDS_H

#include "serial/nic/nic.h"

#define REALTEK_MTU_STANDARD 1500u

enum realtek_family {
    REALTEK_8139, /* C+: conventional PCI, 100 Mbit/s */
    REALTEK_8168, /* 8168, 8111, 8101 to 8107: PCIe */
    REALTEK_8125  /* 2.5 Gbit/s: the same rings, some registers at other offsets */
};

/* Properties of a chip. */
enum realtek_chip_flags {
    REALTEK_SUMS_IN_FIRST = 1, /* checksum requests are in the descriptor's first doubleword, else in the second */
    REALTEK_PHY_BY_OCP = 2,    /* PHY registers are accessed through GPHY_OCP, else through PHYAR */
    REALTEK_OUT_OF_BAND = 4,   /* may be in its wake-on-LAN state, with reception gated, when we find it */
    REALTEK_PLL_BIT_7 = 8,     /* its PLL may be off: set bit 7 of PMCH */
    REALTEK_PLL_BIT_6 = 16,    /* ... and bit 6 */
    REALTEK_EARLY_SIZE = 32    /* MaxTxPacketSize is the threshold of early transmission */
};

/* A frame is large if the MTU is above REALTEK_MTU_STANDARD. Most chips need no configuration for large frames. */
struct realtek_chip {
    uint16_t mask, value; /* the row matches if XID & mask == value */
    uint8_t flags;
    uint8_t config3, config4; /* bits to set for large frames, and to clear for others */
    uint8_t large_tx_size;    /* MaxTxPacketSize for large frames; 0: the same as for others */
    uint16_t max_mtu;         /* bytes of the largest IPv4 packet that it sends */
    uint32_t rx_config;       /* RxConfig without the bits that select packets */
};

extern const struct nic_card realtek_cards[]; /* ends with a row whose vendor is 0 */

/* Find the chip by the value of TxConfig. An unknown chip is treated like the newest one of its family without
 * peculiarities. */
const struct realtek_chip *realtek_chip_of(uint8_t family, uint32_t tx_config);

#endif
