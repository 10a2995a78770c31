/*
 * Registers of Intel's cards of 1 and 2.5 Gbit/s: byte offsets in BAR 0, and their bits. The registers of queue 0 have
 * the same offsets in all families; the families after the 82574 keep them as aliases.
 *
 * Source: the chapters on registers of the manuals that serial/nic/e1000.h names. None of them has FEXTNVM11, which
 * iPXE and Linux write.
 */
#ifndef SERIAL_NIC_E1000_REGISTERS_H
#define SERIAL_NIC_E1000_REGISTERS_H

#include "serial/nic/e1000.h"

enum {
    REG_CTRL = 0x0000,
    REG_STATUS = 0x0008,
    REG_EERD = 0x0014,
    REG_MDIC = 0x0020,
    REG_ICR = 0x00c0,
    REG_IMC = 0x00d8,
    REG_RCTL = 0x0100,
    REG_TCTL = 0x0400,
    REG_TIPG = 0x0410,
    REG_PBA = 0x1000,
    REG_RXPBS = 0x2404,
    REG_RDBAL = 0x2800,
    REG_RDBAH = 0x2804,
    REG_RDLEN = 0x2808,
    REG_SRRCTL = 0x280c,
    REG_RDH = 0x2810,
    REG_RDT = 0x2818,
    REG_RXDCTL = 0x2828,
    REG_TXPBS = 0x3404,
    REG_TDBAL = 0x3800,
    REG_TDBAH = 0x3804,
    REG_TDLEN = 0x3808,
    REG_TDH = 0x3810,
    REG_TDT = 0x3818,
    REG_TXDCTL = 0x3828,
    REG_MTA = 0x5200,
    REG_RAL0 = 0x5400,
    REG_RAH0 = 0x5404,
    REG_MANC = 0x5820,
    REG_FEXTNVM11 = 0x5bbc
};

#define CTRL_GIO_MASTER_DISABLE 0x00000004u /* not on the 82540EM */
#define CTRL_LRST 0x00000008u               /* 82540EM only, like ASDE and ILOS */
#define CTRL_ASDE 0x00000020u
#define CTRL_SLU 0x00000040u
#define CTRL_ILOS 0x00000080u
#define CTRL_FRCSPD 0x00000800u
#define CTRL_FRCDPLX 0x00001000u
#define CTRL_RST 0x04000000u
#define CTRL_RFCE 0x08000000u
#define CTRL_TFCE 0x10000000u
#define CTRL_VME 0x40000000u
#define CTRL_PHY_RST 0x80000000u
#define STATUS_LU 0x00000002u
#define STATUS_GIO_MASTER_ENABLE 0x00080000u
#define EERD_START 0x01u
#define EERD_DONE 0x02u
#define EERD_DONE_82540 0x10u
#define MDIC_REG_SHIFT 16
#define MDIC_PHY_1 (1u << 21)
#define MDIC_WRITE (1u << 26)
#define MDIC_READY (1u << 28)
#define RCTL_EN 0x00000002u
#define RCTL_BAM 0x00008000u
#define RCTL_SECRC 0x04000000u /* the buffer size field is 0: 2048 bytes */
#define TCTL_EN 0x00000002u
#define TCTL_PSP 0x00000008u
#define TCTL_CT (0x0fu << 4)
#define TCTL_COLD_FULL_DUPLEX (0x40u << 12)
#define TIPG_COPPER                                                                                                    \
    (10u | 8u << 10 | 6u << 20) /* 82540EM: 8254x manual, section 13.4.34, the values for IEEE 802.3                   \
                                 */
#define SRRCTL_2_KIB 2u
#define SRRCTL_ADVANCED (1u << 25) /* one buffer per packet */
#define DCTL_COUNT (1u << 22)      /* TXDCTL of the 82574 and of I217 to I219: reserved, must be 1 */
#define DCTL_ENABLE (1u << 25)     /* queue enable, in the families with advanced descriptors */
#define RAH_AV 0x80000000u
#define MANC_ARP_EN 0x00002000u /* 82540EM */
#define FEXTNVM11_NO_HANG 0x00002000u
#define RXPBS_AT_POWER_UP 0x000000a2u
#define TXPBS_AT_POWER_UP 0x04000014u
#define NR_MTA 128u

/* IEEE 802.3 clause 22, register 0 */
#define PHY_CONTROL 0u
#define PHY_CONTROL_NEGOTIATE 0x1200u /* enable and restart auto-negotiation */

static inline uint32_t reg_read(const struct nic *nic, uint32_t offset)
{
    return nic->access.read(nic->access.context, offset, 4);
}

static inline void reg_write(const struct nic *nic, uint32_t offset, uint32_t value)
{
    nic->access.write(nic->access.context, offset, 4, value);
}

static inline void wait_us(const struct nic *nic, uint32_t us)
{
    nic->access.wait_us(nic->access.context, us);
}

#endif
