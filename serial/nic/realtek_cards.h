/*
 * Realtek's cards with a ring of descriptors: which PCI device is which, and which chip a device is. Core.
 *
 * A PCI device id names a line of chips over twenty years; what differs is told by the chip's own number, bits 31:20 of
 * TxConfig (XID). Source of the numbers and of the differences: the RTL8139C+'s and the RTL8169's datasheets, and for
 * what came later, of which Realtek has published none, what their drivers in Linux (r8169), U-Boot and iPXE have in
 * common. docs/hardware.md says what follows from them.
 */
#ifndef SERIAL_NIC_REALTEK_CARDS_H
#define SERIAL_NIC_REALTEK_CARDS_H

#include "serial/nic/nic.h"

#define REALTEK_MTU_STANDARD 1500u

enum realtek_family {
    REALTEK_8139, /* C+: conventional PCI, 100 Mbit/s */
    REALTEK_8168, /* 8168, 8111, 8101 to 8107: PCIe */
    REALTEK_8125  /* 2.5 Gbit/s: the same ring, some registers elsewhere */
};

/* What a chip needs, or has. */
enum realtek_chip_flags {
    REALTEK_SUMS_IN_FIRST = 1, /* checksums are asked for in the descriptor's first doubleword, else in its second */
    REALTEK_PHY_BY_OCP = 2,    /* the PHY's registers are reached through GPHY_OCP, else through PHYAR */
    REALTEK_OUT_OF_BAND = 4,   /* may wait for wake-up packets, with reception gated, when it is found */
    REALTEK_PLL_BIT_7 = 8,     /* its PLL may have been switched off: PMCH bit 7 */
    REALTEK_PLL_BIT_6 = 16,    /* ... and bit 6 */
    REALTEK_EARLY_SIZE = 32    /* MaxTxPacketSize counts early transmission's bytes */
};

/* Large frames: those of an mtu above REALTEK_MTU_STANDARD. Of most chips nothing needs to be switched for them. */
struct realtek_chip {
    uint16_t mask, value; /* the chip's number under the mask */
    uint8_t flags;
    uint8_t config3, config4; /* bits that are 1 for large frames, and 0 for others */
    uint8_t large_tx_size;    /* MaxTxPacketSize for large frames; 0: as for others */
    uint16_t max_mtu;         /* bytes of the largest IPv4 packet that it sends */
    uint32_t rx_config;       /* RxConfig but for which packets are taken */
};

const struct nic_card *realtek_card_of(uint32_t id, uint8_t revision);

/* The chip by TxConfig; one that is not known counts as the newest of its family that needs nothing of its own. */
const struct realtek_chip *realtek_chip_of(uint8_t family, uint32_t tx_config);

#endif
