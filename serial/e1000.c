/* The Intel 82540EM, polled: reset, link, rings. Shell. Section numbers are the 8254x manual's. */
#include "serial/e1000.h"

#include "pt/msr.h"
#include "serial/io.h"
#include "vmx/phys.h"

enum {
    REG_CTRL = 0x0000 / 4,
    REG_STATUS = 0x0008 / 4,
    REG_EERD = 0x0014 / 4,
    REG_ICR = 0x00c0 / 4,
    REG_IMC = 0x00d8 / 4,
    REG_RCTL = 0x0100 / 4,
    REG_TCTL = 0x0400 / 4,
    REG_TIPG = 0x0410 / 4,
    REG_PBA = 0x1000 / 4,
    REG_RDBAL = 0x2800 / 4,
    REG_RDBAH = 0x2804 / 4,
    REG_RDLEN = 0x2808 / 4,
    REG_RDH = 0x2810 / 4,
    REG_TDBAL = 0x3800 / 4,
    REG_TDBAH = 0x3804 / 4,
    REG_TDLEN = 0x3808 / 4,
    REG_TDH = 0x3810 / 4,
    REG_MTA = 0x5200 / 4,
    REG_RAL0 = 0x5400 / 4,
    REG_RAH0 = 0x5404 / 4,
    REG_MANC = 0x5820 / 4
};

#define CTRL_LRST 0x00000008u
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
#define EERD_START 0x01u
#define EERD_DONE 0x10u
#define RCTL_EN 0x00000002u
#define RCTL_BAM 0x00008000u
#define RCTL_SECRC 0x04000000u /* the buffer size stays at 0: 2048 bytes */
#define TCTL_EN 0x00000002u
#define TCTL_PSP 0x00000008u
#define TCTL_CT (0x0fu << 4)
#define TCTL_COLD_FULL_DUPLEX (0x40u << 12)
#define TIPG_COPPER (10u | 8u << 10 | 6u << 20) /* section 13.4.34, the values for IEEE 802.3 */
#define RAH_AV 0x80000000u
#define MANC_ARP_EN 0x00002000u
#define NR_MTA 128u

/* Of the 64 KiB of packet memory 16 for receiving, so that datagrams of 16 KB fit into the rest. */
#define PBA_RX_KIB 16u

static void wait_us(const struct e1000 *nic, uint64_t us)
{
    uint64_t start = tsc_read();

    while (tsc_read() - start < nic->tsc_hz / 1000000 * us) {
        io_pause();
    }
}

/* Section 5.3.1 "Software Accesses" to the EEPROM: words 0 to 2 are the MAC address. */
static bool read_eeprom(const struct e1000 *nic, uint32_t word, uint8_t *out)
{
    nic->mmio[REG_EERD] = word << 8 | EERD_START;
    for (unsigned tries = 0; tries < 1000; tries++) {
        uint32_t value = nic->mmio[REG_EERD];

        if ((value & EERD_DONE) != 0) {
            out[0] = (uint8_t)(value >> 16);
            out[1] = (uint8_t)(value >> 24);
            return true;
        }
        wait_us(nic, 10);
    }
    return false;
}

/* Section 14.3: interrupts off, transfers off and over, then the reset, which clears both again. */
static void reset_device(const struct e1000 *nic)
{
    nic->mmio[REG_IMC] = 0xffffffff;
    nic->mmio[REG_RCTL] = 0;
    nic->mmio[REG_TCTL] = TCTL_PSP;
    (void)nic->mmio[REG_STATUS];
    wait_us(nic, 10000);
    nic->mmio[REG_PBA] = PBA_RX_KIB;
    nic->mmio[REG_CTRL] |= CTRL_RST;
    wait_us(nic, 10000);
    nic->mmio[REG_IMC] = 0xffffffff;
    (void)nic->mmio[REG_ICR];
}

static void set_receive_address(const struct e1000 *nic, const uint8_t mac[6])
{
    nic->mmio[REG_RAL0] = mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24;
    nic->mmio[REG_RAH0] = mac[4] | (uint32_t)mac[5] << 8 | RAH_AV;
    for (uint32_t i = 0; i < NR_MTA; i++) {
        nic->mmio[REG_MTA + i] = 0;
    }
}

/* Section 14.5: speed and duplex are the PHY's, negotiated; no VLANs, no flow control, since a receiver that cannot
 * keep up is the acknowledgements' business. ARP packets are ours, not a management controller's. */
static void set_link_up(const struct e1000 *nic)
{
    uint32_t ctrl = nic->mmio[REG_CTRL];

    ctrl &= ~(CTRL_LRST | CTRL_ILOS | CTRL_FRCSPD | CTRL_FRCDPLX | CTRL_RFCE | CTRL_TFCE | CTRL_VME | CTRL_PHY_RST);
    nic->mmio[REG_CTRL] = ctrl | CTRL_SLU | CTRL_ASDE;
    nic->mmio[REG_MANC] &= ~MANC_ARP_EN;
}

bool e1000_reset(struct e1000 *nic, uint64_t mmio_pa, uint64_t tsc_hz, uint8_t mac[6])
{
    nic->mmio = phys_to_virt(mmio_pa);
    nic->tsc_hz = tsc_hz;
    if (nic->mmio[REG_STATUS] == 0xffffffff) { /* what a bus answers where nothing decodes */
        return false;
    }
    reset_device(nic);
    for (uint32_t word = 0; word < 3; word++) {
        if (!read_eeprom(nic, word, mac + 2 * word)) {
            return false;
        }
    }
    set_receive_address(nic, mac);
    set_link_up(nic);
    return true;
}

bool e1000_link_is_up(const struct e1000 *nic)
{
    return (nic->mmio[REG_STATUS] & STATUS_LU) != 0;
}

void e1000_start_tx(const struct e1000 *nic, uint64_t pa, uint32_t nr)
{
    nic->mmio[REG_TDBAL] = (uint32_t)pa;
    nic->mmio[REG_TDBAH] = (uint32_t)(pa >> 32);
    nic->mmio[REG_TDLEN] = nr * (uint32_t)sizeof(struct e1000_tx_descriptor);
    nic->mmio[REG_TDH] = 0;
    nic->mmio[E1000_TDT] = 0;
    nic->mmio[REG_TIPG] = TIPG_COPPER;
    nic->mmio[REG_TCTL] = TCTL_EN | TCTL_PSP | TCTL_CT | TCTL_COLD_FULL_DUPLEX;
}

void e1000_start_rx(const struct e1000 *nic, uint64_t pa, uint32_t nr)
{
    nic->mmio[REG_RDBAL] = (uint32_t)pa;
    nic->mmio[REG_RDBAH] = (uint32_t)(pa >> 32);
    nic->mmio[REG_RDLEN] = nr * (uint32_t)sizeof(struct e1000_rx_descriptor);
    nic->mmio[REG_RDH] = 0;
    nic->mmio[E1000_RDT] = 0;
    nic->mmio[REG_RCTL] = RCTL_EN | RCTL_BAM | RCTL_SECRC;
    e1000_give_rx(nic, nr - 1);
}

void e1000_stop(const struct e1000 *nic)
{
    nic->mmio[REG_RCTL] = 0;
    nic->mmio[REG_TCTL] = 0;
    (void)nic->mmio[REG_STATUS];
    wait_us(nic, 10000);
    nic->mmio[REG_CTRL] |= CTRL_RST;
    wait_us(nic, 10000);
    nic->mmio[REG_IMC] = 0xffffffff;
}
