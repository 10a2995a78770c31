/* Kind: core, init */
/* Realtek's cards: reset, MAC address, link, start of the rings. Nothing here runs after the guest has started.
 */
#include "serial/nic/realtek.h"

#define RESTART_US 1000000u /* as in serial/nic/e1000.c */
#define RESET_TRIES 1000u   /* 100 microseconds each */
#define LIST_TRIES 42u      /* 100 microseconds each, as in Linux */
#define PHY_TRIES 100u      /* 25 microseconds each */

/* IEEE 802.3 clause 22, register 0: enable and restart auto-negotiation, power on. */
#define PHY_NEGOTIATE 0x1200u

static uint32_t get(const struct register_access *a, uint32_t offset, unsigned bytes)
{
    return a->read(a->context, offset, bytes);
}

static void set(const struct register_access *a, uint32_t offset, unsigned bytes, uint32_t value)
{
    a->write(a->context, offset, bytes, value);
}

/* Clear some bits, then set some. */
static void change(const struct register_access *a, uint32_t offset, unsigned bytes, uint32_t clear, uint32_t bits)
{
    set(a, offset, bytes, (get(a, offset, bytes) & ~clear) | bits);
}

/* The MAC has an address space of its own (OCP): 16-bit registers at even addresses. */
static void ocp_change(const struct register_access *a, uint32_t address, uint32_t clear, uint32_t bits)
{
    set(a, REALTEK_MAC_OCP, 4, address << 15);
    const uint32_t value = get(a, REALTEK_MAC_OCP, 4) & 0xffff;
    set(a, REALTEK_MAC_OCP, 4, REALTEK_OCP_FLAG | address << 15 | (value & ~clear) | bits);
}

static const struct realtek_chip *chip_of(const struct nic *nic)
{
    return realtek_chip_of(nic->family, get(&nic->access, REALTEK_TXCONFIG, 4));
}

static void mask_interrupts(const struct nic *nic)
{
    const bool new = nic->family == REALTEK_8125;

    set(&nic->access, new ? REALTEK_IMR_8125 : REALTEK_IMR, new ? 4 : 2, 0);
    set(&nic->access, new ? REALTEK_ISR_8125 : REALTEK_ISR, new ? 4 : 2, new ? 0xffffffff : 0xffff);
}

/* Stop receiving, let transfers end, then reset. false: the reset does not finish. */
static bool reset_mac(const struct nic *nic)
{
    const struct register_access *a = &nic->access;

    mask_interrupts(nic);
    change(a, REALTEK_RXCONFIG, 4, REALTEK_RX_ACCEPT, 0);
    if (nic->family != REALTEK_8139)
        change(a, REALTEK_COMMAND, 1, 0, REALTEK_COMMAND_STOP);
    a->wait_us(a->context, 10000);
    set(a, REALTEK_COMMAND, 1, REALTEK_COMMAND_RESET);
    for (unsigned tries = 0; tries < RESET_TRIES; tries++) {
        a->wait_us(a->context, 100);
        if (!(get(a, REALTEK_COMMAND, 1) & REALTEK_COMMAND_RESET))
            return true;
    }
    return false;
}

static void read_mac(const struct register_access *a, uint8_t mac[6])
{
    for (uint32_t i = 0; i < 6; i++)
        mac[i] = (uint8_t)get(a, REALTEK_IDR0 + i, 1);
}

/* The address is written as doublewords, the upper one first, while the configuration is unlocked. */
static void write_mac(const struct register_access *a, const uint8_t mac[6])
{
    set(a, REALTEK_9346CR, 1, REALTEK_9346CR_UNLOCK);
    set(a, REALTEK_IDR0 + 4, 4, mac[4] | (uint32_t)mac[5] << 8);
    set(a, REALTEK_IDR0, 4, mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24);
    set(a, REALTEK_9346CR, 1, 0);
}

static void wait_for_list(const struct register_access *a)
{
    for (unsigned tries = 0; tries < LIST_TRIES && !(get(a, REALTEK_MCU, 1) & REALTEK_MCU_LIST_READY); tries++)
        a->wait_us(a->context, 100);
}

/* Leave the wake-on-LAN state, in which the card processes packets without a driver. */
static void leave_out_of_band(const struct register_access *a)
{
    change(a, REALTEK_MCU, 1, REALTEK_MCU_OUT_OF_BAND, 0);
    ocp_change(a, REALTEK_OCP_FIFO, 1u << 14, 0);
    wait_for_list(a);
    ocp_change(a, REALTEK_OCP_FIFO, 0, 1u << 15);
    wait_for_list(a);
    change(a, REALTEK_MISC, 4, REALTEK_MISC_RX_GATED, 0);
}

static void power_up(const struct nic *nic, const struct realtek_chip *chip)
{
    const uint32_t bits = (chip->flags & REALTEK_PLL_BIT_7 ? 0x80u : 0) | (chip->flags & REALTEK_PLL_BIT_6 ? 0x40u : 0);

    if (bits)
        change(&nic->access, REALTEK_PMCH, 1, 0, bits);
}

void realtek_read_state(const struct register_access *access, const struct nic_card *card, struct nic_state *state)
{
    const bool old = card->family == REALTEK_8139;
    const uint32_t status = get(access, old ? REALTEK_MEDIA : REALTEK_PHYSTATUS, 1);

    read_mac(access, state->mac);
    state->link_up = status != 0xff && (old ? !(status & REALTEK_MEDIA_NO_LINK) : status & REALTEK_PHYSTATUS_LINK);
}

const char *realtek_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6])
{
    const struct register_access *a = &nic->access;

    nic->family = card->family;
    nic->renegotiated = false;
    if (get(a, REALTEK_TXCONFIG, 4) == 0xffffffff)
        return "does not answer";
    read_mac(a, mac);
    if (!reset_mac(nic))
        return "does not come back from its reset";
    if (!nic_mac_is_good(mac)) /* firmware has set none; the reset may have loaded one */
        read_mac(a, mac);
    if (!nic_mac_is_good(mac))
        return "has no MAC address";
    write_mac(a, mac);
    const struct realtek_chip *chip = chip_of(nic);
    power_up(nic, chip);
    if (chip->flags & REALTEK_OUT_OF_BAND)
        leave_out_of_band(a);
    return NULL;
}

static void negotiate(const struct nic *nic)
{
    const struct register_access *a = &nic->access;
    const bool ocp = chip_of(nic)->flags & REALTEK_PHY_BY_OCP;
    const uint32_t at = ocp ? REALTEK_GPHY_OCP : REALTEK_PHYAR;

    set(a, at, 4, REALTEK_OCP_FLAG | (ocp ? REALTEK_OCP_PHY << 15 : 0) | PHY_NEGOTIATE);
    for (unsigned tries = 0; tries < PHY_TRIES && (get(a, at, 4) & REALTEK_OCP_FLAG); tries++)
        a->wait_us(a->context, 25);
}

bool realtek_link_is_up(struct nic *nic, uint64_t waited_us)
{
    const struct nic_card card = {.family = nic->family};
    struct nic_state state;

    realtek_read_state(&nic->access, &card, &state);
    if (!state.link_up && nic->family != REALTEK_8139 && !nic->renegotiated && waited_us >= RESTART_US) {
        nic->renegotiated = true;
        negotiate(nic);
    }
    return state.link_up;
}

static void set_address(const struct register_access *a, uint32_t offset, uint64_t pa)
{
    set(a, offset + 4, 4, (uint32_t)(pa >> 32));
    set(a, offset, 4, (uint32_t)pa);
}

/* Switching off matters too: an earlier system may have left large frames on. */
static void set_large(const struct register_access *a, const struct realtek_chip *chip, bool on)
{
    if (chip->config3)
        change(a, REALTEK_CONFIG3, 1, chip->config3, on ? chip->config3 : 0);
    if (chip->config4)
        change(a, REALTEK_CONFIG4, 1, chip->config4, on ? chip->config4 : 0);
}

/* MaxTxPacketSize. */
static uint32_t tx_size(const struct realtek_chip *chip, bool large)
{
    if (chip->flags & REALTEK_EARLY_SIZE)
        return 0x27;
    return large && chip->large_tx_size ? chip->large_tx_size : 0x3f;
}

/* Settings that must precede the rings' addresses, while the configuration is unlocked. */
static void configure(const struct nic *nic, const struct realtek_chip *chip, bool large)
{
    const struct register_access *a = &nic->access;

    if (nic->family == REALTEK_8139) { /* without C+ mode the ring address registers have another meaning */
        set(a, REALTEK_CPLUS, 2, REALTEK_CPLUS_TX | REALTEK_CPLUS_RX | REALTEK_CPLUS_MULRW);
        set(a, REALTEK_TXTHRESHOLD, 1, 6);
        set_address(a, REALTEK_THPDS, 0);
        return;
    }
    change(a, REALTEK_CPLUS, 2, ~REALTEK_CPLUS_KEPT & 0xffff, 0);
    set(a, REALTEK_RXMAXSIZE, 2, E1000_RX_BUFFER_BYTES);
    set_large(a, chip, large);
    if (nic->family == REALTEK_8125) { /* use the 8168's descriptor format */
        ocp_change(a, REALTEK_OCP_TX_FORMAT, 1, 0);
        change(a, REALTEK_RX_FORMAT, 1, 2, 0);
        change(a, REALTEK_CONFIG3, 1, REALTEK_CONFIG3_L23, 0);
    } else {
        set(a, REALTEK_TXTHRESHOLD, 1, tx_size(chip, large));
        set(a, REALTEK_MITIGATE, 2, 0);
    }
}

/* Enable transmitter and receiver before configuring them: the 8139C+ ignores RxConfig otherwise. */
static void switch_on(const struct nic *nic, const struct realtek_chip *chip)
{
    const struct register_access *a = &nic->access;
    const bool fifo = (chip->flags & REALTEK_EARLY_SIZE) && nic->family == REALTEK_8168;

    set(a, REALTEK_COMMAND, 1, REALTEK_COMMAND_TX | REALTEK_COMMAND_RX);
    set(a, REALTEK_TXCONFIG, 4,
        REALTEK_TXCONFIG_GAP | REALTEK_TXCONFIG_BURST | (fifo ? REALTEK_TXCONFIG_AUTO_FIFO : 0));
    set(a, REALTEK_MAR0 + 4, 4, 0);
    set(a, REALTEK_MAR0, 4, 0);
    set(a, REALTEK_RXCONFIG, 4, chip->rx_config | REALTEK_RX_BROADCAST | REALTEK_RX_MINE);
}

static uint64_t checksum_bits(const struct realtek_chip *chip, uint16_t mtu)
{
    if (mtu > REALTEK_MTU_STANDARD)
        return 0;
    return chip->flags & REALTEK_SUMS_IN_FIRST ? REALTEK_TX_SUMS_FIRST : REALTEK_TX_SUMS_SECOND;
}

static void init_rings(struct realtek *r, const struct nic *nic, const struct nic_rings *rings,
                       const struct realtek_chip *chip)
{
    const bool old = nic->family == REALTEK_8139;

    *r = (struct realtek){.rx = (struct realtek_descriptor *)(void *)((uint8_t *)r + REALTEK_RINGS_AT),
                          .from = rings->tx,
                          .to = rings->rx,
                          .memory = rings->memory,
                          .nr_from = rings->nr_tx,
                          .nr_to = rings->nr_rx,
                          .nr_tx = old ? REALTEK_8139_DESCRIPTORS : REALTEK_MAX_DESCRIPTORS,
                          .checksums = checksum_bits(chip, rings->mtu),
                          .rx_error = old ? REALTEK_RX_ERROR_8139 : REALTEK_RX_ERROR,
                          .is_8125 = nic->family == REALTEK_8125};
    r->doorbell = nic->registers + (old ? REALTEK_TXPOLL_8139 : r->is_8125 ? REALTEK_TXPOLL_8125 : REALTEK_TXPOLL);
    r->tx = r->rx + REALTEK_RX_DESCRIPTORS;
    for (uint32_t i = 0; i < REALTEK_RX_DESCRIPTORS; i++) {
        r->rx[i].address = rings->rx[i].address;
        r->rx[i].options = E1000_RX_BUFFER_BYTES | REALTEK_OWN | (i == REALTEK_RX_DESCRIPTORS - 1 ? REALTEK_EOR : 0);
    }
}

void realtek_start(struct nic *nic, const struct nic_rings *rings)
{
    const struct register_access *a = &nic->access;
    const struct realtek_chip *chip = chip_of(nic);
    struct realtek *r = rings->driver_data;

    init_rings(r, nic, rings, chip);
    nic->driver_data = r;
    nic->sync_rings = realtek_sync_rings;
    nic->tx_tail = &r->tx_tail;
    nic->rx_tail = &r->rx_tail;
    set(a, REALTEK_9346CR, 1, REALTEK_9346CR_UNLOCK);
    configure(nic, chip, rings->mtu > REALTEK_MTU_STANDARD);
    set_address(a, REALTEK_RDSAR, rings->driver_data_pa + REALTEK_RINGS_AT);
    set_address(a, REALTEK_TNPDS, rings->driver_data_pa + REALTEK_RINGS_AT + 16 * REALTEK_RX_DESCRIPTORS);
    set(a, REALTEK_9346CR, 1, 0);
    switch_on(nic, chip);
}

void realtek_stop(const struct nic *nic)
{
    (void)reset_mac(nic);
}

static uint16_t max_mtu(const struct nic *nic)
{
    return chip_of(nic)->max_mtu;
}

const struct nic_driver realtek_driver = {.cards = realtek_cards,
                                          .read_state = realtek_read_state,
                                          .reset = realtek_reset,
                                          .link_is_up = realtek_link_is_up,
                                          .start = realtek_start,
                                          .stop = realtek_stop,
                                          .max_mtu = max_mtu};
