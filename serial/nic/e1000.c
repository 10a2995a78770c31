/* Kind: core, init */
/* Intel's cards of 1 and 2.5 Gbit/s: link and rings. Section numbers are those of the 8254x manual. */
#include "serial/nic/e1000.h"

#include "serial/nic/e1000_registers.h"

#define RESTART_US 1000000u /* negotiation in progress has nearly always finished by then */
#define ENABLE_TRIES 1000u  /* 10 microseconds each */

/* These cards have an internal PHY, whose MDIC transactions finish within 100 microseconds. */
static void restart_negotiation(const struct nic *nic)
{
    reg_write(nic, REG_MDIC, MDIC_WRITE | MDIC_PHY_1 | PHY_CONTROL << MDIC_REG_SHIFT | PHY_CONTROL_NEGOTIATE);
    for (unsigned tries = 0; tries < 100 && !(reg_read(nic, REG_MDIC) & MDIC_READY); tries++)
        wait_us(nic, 10);
}

bool e1000_link_is_up(struct nic *nic, uint64_t waited_us)
{
    if (reg_read(nic, REG_STATUS) & STATUS_LU)
        return true;
    if ((nic->quirks & E1000_RESTARTS_LINK) && !nic->renegotiated && waited_us >= RESTART_US) {
        nic->renegotiated = true;
        restart_negotiation(nic);
    }
    return false;
}

/* If queues are enabled one by one, the card ignores tail writes before that. */
static void queue_enable(const struct nic *nic, uint32_t offset)
{
    reg_write(nic, offset, reg_read(nic, offset) | DCTL_ENABLE);
    for (unsigned tries = 0; tries < ENABLE_TRIES && !(reg_read(nic, offset) & DCTL_ENABLE); tries++)
        wait_us(nic, 10);
}

static void start_tx(const struct nic *nic, uint64_t pa, uint32_t nr)
{
    reg_write(nic, REG_TDBAL, (uint32_t)pa);
    reg_write(nic, REG_TDBAH, (uint32_t)(pa >> 32));
    reg_write(nic, REG_TDLEN, nr * 16);
    reg_write(nic, REG_TDH, 0);
    reg_write(nic, REG_TDT, 0);
    if (nic->family == E1000_82540)
        reg_write(nic, REG_TIPG, TIPG_COPPER);
    else if (nic->family < E1000_82576)
        reg_write(nic, REG_TXDCTL, reg_read(nic, REG_TXDCTL) | DCTL_COUNT);
    else
        queue_enable(nic, REG_TXDCTL);
    reg_write(nic, REG_TCTL, TCTL_EN | TCTL_PSP | TCTL_CT | TCTL_COLD_FULL_DUPLEX);
}

static void start_rx(const struct nic *nic, uint64_t pa, uint32_t nr)
{
    reg_write(nic, REG_RDBAL, (uint32_t)pa);
    reg_write(nic, REG_RDBAH, (uint32_t)(pa >> 32));
    reg_write(nic, REG_RDLEN, nr * 16);
    if (nic->family >= E1000_82576) {
        reg_write(nic, REG_SRRCTL, SRRCTL_ADVANCED | SRRCTL_2_KIB);
        queue_enable(nic, REG_RXDCTL);
    }
    reg_write(nic, REG_RDH, 0);
    reg_write(nic, REG_RDT, 0);
    reg_write(nic, REG_RCTL, RCTL_EN | RCTL_BAM | RCTL_SECRC);
    reg_write(nic, REG_RDT, nr - 1);
}

void e1000_start(struct nic *nic, const struct nic_rings *rings)
{
    start_rx(nic, rings->rx_pa, rings->nr_rx);
    start_tx(nic, rings->tx_pa, rings->nr_tx);
    nic->rx_tail = (volatile uint32_t *)(volatile void *)(nic->registers + REG_RDT);
    nic->tx_tail = (volatile uint32_t *)(volatile void *)(nic->registers + REG_TDT);
    nic->sync_rings = NULL;
}

static bool is_advanced(const struct nic_card *card)
{
    return e1000_is_advanced(card);
}

const struct nic_driver e1000_driver = {.cards = e1000_cards,
                                        .read_state = e1000_read_state,
                                        .reset = e1000_reset,
                                        .link_is_up = e1000_link_is_up,
                                        .start = e1000_start,
                                        .stop = e1000_stop,
                                        .is_advanced = is_advanced};
