/* Kind: core, init */
/* Intel's cards of 1 and 2.5 Gbit/s: reset and MAC address. Section numbers are those of the 8254x manual. */
#include <stddef.h>

#include "serial/nic/e1000.h"
#include "serial/nic/e1000_registers.h"

/* The 82540EM receives into 16 of its 64 KiB of packet memory, so that transmitted datagrams of 16 KB fit. */
#define PBA_RX_KIB 16u

#define EERD_TRIES 1000u  /* 10 microseconds each */
#define MASTER_TRIES 800u /* 100 microseconds each: 82574 datasheet, "Master Disable" */

/* Section 14.3, and "Master Disable" in the datasheets of the PCIe cards: disable DMA and wait until it has ended,
 * so that the reset does not interrupt a transfer. */
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

/* Reset the MAC only. Never reset the PHY: many of I217 to I219 lose their link permanently. */
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
    if (nic->quirks & E1000_HANGS_AFTER_RESET)
        reg_write(nic, REG_FEXTNVM11, reg_read(nic, REG_FEXTNVM11) | FEXTNVM11_NO_HANG);
}

/* Section 5.3.1 "Software Accesses": words 0 to 2 of the EEPROM are the MAC address. The PCIe cards have the same
 * register with its fields at other positions. */
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

/* With an EEPROM or firmware, the reset has loaded the address into the first receive address register. */
static bool find_mac(const struct nic *nic, uint8_t mac[6])
{
    read_receive_address(nic, mac);
    if (nic_mac_is_good(mac))
        return true;
    if (nic->family == E1000_ICH || nic->family == E1000_I225) /* EERD is missing or undocumented */
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

/* Section 14.5. The PHY negotiates speed and duplex. VLANs and flow control are off: acknowledgements keep the sender
 * from overrunning the receiver. ARP packets go to us, not to a management controller. */
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
    nic->renegotiated = false;
    if (reg_read(nic, REG_STATUS) == 0xffffffff) /* what a read returns if no device decodes it */
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

void e1000_read_state(const struct register_access *access, const struct nic_card *card, struct nic_state *state)
{
    const struct nic nic = {.access = *access};
    const uint32_t status = reg_read(&nic, REG_STATUS);

    (void)card;
    state->link_up = status != 0xffffffff && (status & STATUS_LU);
    read_receive_address(&nic, state->mac);
}
