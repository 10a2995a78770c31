/* Kind: core, init */
/* Intel's cards of 1 and 2.5 Gbit/s: reset and MAC address. Core. Section numbers are the 8254x manual's. */
#include <stddef.h>

#include "serial/nic/e1000.h"
#include "serial/nic/e1000_registers.h"

/* Of the 82540EM's 64 KiB of packet memory 16 for receiving, so that datagrams of 16 KB fit into the rest. */
#define PBA_RX_KIB 16u

#define EERD_TRIES 1000u  /* of 10 microseconds */
#define MASTER_TRIES 800u /* of 100 microseconds: "Master Disable" of the 82574's datasheet */

/* Section 14.3, and "Master Disable" of the PCIe cards' datasheets: transfers off and over, before a reset cuts them.
 */
static void stop_transfers(const struct nic *nic)
{
    reg_write(nic, REG_IMC, 0xffffffff);
    reg_write(nic, REG_RCTL, 0);
    reg_write(nic, REG_TCTL, TCTL_PSP);
    (void)reg_read(nic, REG_STATUS);
    wait_us(nic, 10000);
    if (nic->family == E1000_82540)
        return;
    reg_write(nic, REG_CTRL, reg_read(nic, REG_CTRL) | CTRL_GIO_MASTER_DISABLE);
    for (unsigned tries = 0; tries < MASTER_TRIES && (reg_read(nic, REG_STATUS) & STATUS_GIO_MASTER_ENABLE); tries++)
        wait_us(nic, 100);
}

/* The MAC alone, never the PHY: of I217 to I219 many lose their link for good by that. */
static void reset_mac(const struct nic *nic)
{
    if (nic->family == E1000_82540)
        reg_write(nic, REG_PBA, PBA_RX_KIB);
    if (nic->quirks & E1000_KEEPS_BUFFER_SIZES) {
        reg_write(nic, REG_RXPBS, RXPBS_AT_POWER_UP);
        reg_write(nic, REG_TXPBS, TXPBS_AT_POWER_UP);
    }
    reg_write(nic, REG_CTRL, (reg_read(nic, REG_CTRL) & ~CTRL_PHY_RST) | CTRL_RST);
    wait_us(nic, 20000);
    reg_write(nic, REG_IMC, 0xffffffff);
    (void)reg_read(nic, REG_ICR);
    if (nic->quirks & E1000_HANGS_BEHIND_RESET)
        reg_write(nic, REG_FEXTNVM11, reg_read(nic, REG_FEXTNVM11) | FEXTNVM11_NO_HANG);
}

/* Section 5.3.1 "Software Accesses" to the EEPROM: words 0 to 2 are the MAC address. The PCIe cards have the same
 * register with its fields elsewhere. */
static bool eeprom_read(const struct nic *nic, uint32_t word, uint8_t *out)
{
    const bool old = nic->family == E1000_82540;

    reg_write(nic, REG_EERD, word << (old ? 8 : 2) | EERD_START);
    for (unsigned tries = 0; tries < EERD_TRIES; tries++) {
        const uint32_t value = reg_read(nic, REG_EERD);

        if (value & (old ? EERD_DONE_82540 : EERD_DONE)) {
            out[0] = (uint8_t)(value >> 16);
            out[1] = (uint8_t)(value >> 24);
            return true;
        }
        wait_us(nic, 10);
    }
    return false;
}

static void read_receive_address(const struct nic *nic, uint8_t mac[6])
{
    const uint32_t low = reg_read(nic, REG_RAL0), high = reg_read(nic, REG_RAH0);

    for (unsigned i = 0; i < 6; i++)
        mac[i] = (uint8_t)(i < 4 ? low >> 8 * i : high >> 8 * (i - 4));
}

/* The reset has loaded it into the first receive address, where there is an EEPROM or firmware to load it from. */
static bool find_mac(const struct nic *nic, uint8_t mac[6])
{
    read_receive_address(nic, mac);
    if (nic_mac_is_good(mac))
        return true;
    if (nic->family == E1000_ICH || nic->family == E1000_I225) /* no such register, or one that nobody has described */
        return false;
    for (uint32_t word = 0; word < 3; word++)
        if (!eeprom_read(nic, word, mac + 2 * word))
            return false;
    return nic_mac_is_good(mac);
}

static void set_receive_address(const struct nic *nic, const uint8_t mac[6])
{
    reg_write(nic, REG_RAL0, mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24);
    reg_write(nic, REG_RAH0, mac[4] | (uint32_t)mac[5] << 8 | RAH_AV);
    for (uint32_t i = 0; i < NR_MTA; i++)
        reg_write(nic, REG_MTA + 4 * i, 0);
}

/* Section 14.5: speed and duplex are the PHY's, negotiated; no VLANs, no flow control, since a receiver that cannot
 * keep up is the acknowledgements' business. ARP packets are ours, not a management controller's. */
static void set_link_up(const struct nic *nic)
{
    uint32_t ctrl = reg_read(nic, REG_CTRL);

    ctrl &= ~(CTRL_FRCSPD | CTRL_FRCDPLX | CTRL_RFCE | CTRL_TFCE | CTRL_VME | CTRL_PHY_RST);
    if (nic->family == E1000_82540) {
        ctrl = (ctrl & ~(CTRL_LRST | CTRL_ILOS)) | CTRL_ASDE;
        reg_write(nic, REG_MANC, reg_read(nic, REG_MANC) & ~MANC_ARP_EN);
    } else {
        ctrl &= ~CTRL_GIO_MASTER_DISABLE;
    }
    reg_write(nic, REG_CTRL, ctrl | CTRL_SLU);
}

const char *e1000_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6])
{
    nic->family = card->family;
    nic->quirks = card->quirks;
    nic->restarted = false;
    if (reg_read(nic, REG_STATUS) == 0xffffffff) /* what a bus answers where nothing decodes */
        return "does not answer";
    stop_transfers(nic);
    reset_mac(nic);
    if (!find_mac(nic, mac))
        return "has no MAC address";
    set_receive_address(nic, mac);
    set_link_up(nic);
    return NULL;
}

void e1000_stop(const struct nic *nic)
{
    stop_transfers(nic);
    reset_mac(nic);
}

void e1000_look(const struct nic_access *access, const struct nic_card *card, struct nic_look *look)
{
    const struct nic nic = {.access = *access};
    const uint32_t status = reg_read(&nic, REG_STATUS);

    (void)card;
    look->linked = status != 0xffffffff && (status & STATUS_LU);
    read_receive_address(&nic, look->mac);
}
