#include "tests/unit/serial/fake_realtek.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/serial/nic_checks.h"

static bool is_8139(const struct fake_realtek *fake)
{
    return fake->card->family == REALTEK_8139;
}

static uint32_t peek(const struct fake_realtek *fake, uint32_t offset, unsigned bytes)
{
    uint32_t value = 0;
    memcpy(&value, fake->registers + offset, bytes);
    return value;
}

static void poke(struct fake_realtek *fake, uint32_t offset, unsigned bytes, uint32_t value)
{
    memcpy(fake->registers + offset, &value, bytes);
}

static const struct realtek_chip *chip(const struct fake_realtek *fake)
{
    return realtek_chip_of(fake->card->family, (uint32_t)fake->xid << 20);
}

/* The access width of a register in bytes; 0: the driver must not access it on this card. */
static unsigned width_of(const struct fake_realtek *fake, uint32_t offset)
{
    const bool is_8125 = fake->card->family == REALTEK_8125, old = is_8139(fake);
    if (offset < 6)
        return 5; /* read by bytes, written by doublewords */
    switch (offset) {
    case REALTEK_COMMAND:
    case REALTEK_9346CR:
    case REALTEK_CONFIG3:
    case REALTEK_CONFIG4:
        return 1;
    case REALTEK_TXPOLL: /* the 8125's interrupt mask */
        return is_8125 ? 4 : old ? 0 : 1;
    case REALTEK_IMR:
        return is_8125 ? 4 : 2;
    case REALTEK_ISR:
        return is_8125 ? 0 : 2;
    case REALTEK_MEDIA:
        return old ? 1 : 0;
    case REALTEK_PHYSTATUS:
    case REALTEK_PMCH:
    case REALTEK_MCU:
        return old ? 0 : 1;
    case REALTEK_RX_FORMAT:
        return is_8125 ? 1 : 0;
    case REALTEK_RXMAXSIZE:
        return old ? 0 : 2;
    case REALTEK_MITIGATE:
        return is_8125 || old ? 0 : 2;
    case REALTEK_TXTHRESHOLD:
        return is_8125 ? 0 : 1;
    case REALTEK_CPLUS:
        return 2;
    default:
        return 4;
    }
}

static void check_width(const struct fake_realtek *fake, uint32_t offset, unsigned bytes, bool write)
{
    const unsigned width = width_of(fake, offset);
    assert_true(offset + bytes <= sizeof fake->registers && offset % bytes == 0);
    assert_int_equal(bytes, width == 5 ? (write ? 4 : 1) : width);
}

void fake_realtek_set_up(struct fake_realtek *fake, uint32_t device, uint16_t xid)
{
    memset(fake, 0, sizeof *fake);
    fake->card = card_of(device << 16 | 0x10ec, 0x20);
    assert_non_null(fake->card);
    fake->xid = xid;
    fake->link = true;
    fake->mtu = 1500;
    memcpy(fake->mac, (const uint8_t[]){0x52, 0x54, 0x00, 0x12, 0x34, 0x56}, 6);
    memcpy(fake->registers, fake->mac, 6);
    poke(fake, REALTEK_COMMAND, 1, REALTEK_COMMAND_RX | REALTEK_COMMAND_TX);
    poke(fake, REALTEK_RXCONFIG, 4, 0xe70f);
    poke(fake, is_8139(fake) ? REALTEK_IMR : REALTEK_IMR_8125, 2, 0xffff);
    if (!is_8139(fake)) {
        poke(fake, REALTEK_CPLUS, 2, 0x20e3);
        poke(fake, REALTEK_MCU, 1, REALTEK_MCU_OUT_OF_BAND);
        poke(fake, REALTEK_MISC, 4, REALTEK_MISC_RX_GATED);
        poke(fake, REALTEK_RX_FORMAT, 1, 3);
        poke(fake, REALTEK_CONFIG3, 1, 0x04); /* an earlier system has enabled large frames */
        poke(fake, REALTEK_CONFIG4, 1, 0x03);
        fake->ocp[REALTEK_OCP_TX_FORMAT] = 3;
        fake->ocp[REALTEK_OCP_FIFO] = 1u << 14;
    }
    fake->command_on = true;
}

/* A reset is allowed only after reception has stopped and interrupts are masked. */
static void reset(struct fake_realtek *fake)
{
    const bool is_8125 = fake->card->family == REALTEK_8125;
    assert_int_equal(peek(fake, REALTEK_RXCONFIG, 4) & REALTEK_RX_ACCEPT, 0);
    assert_int_equal(is_8125 ? peek(fake, REALTEK_IMR_8125, 4) : peek(fake, REALTEK_IMR, 2), 0);
    if (!is_8139(fake))
        assert_true(peek(fake, REALTEK_COMMAND, 1) & REALTEK_COMMAND_STOP);
    fake->resets++;
    fake->command_on = false;
    poke(fake, REALTEK_COMMAND, 1, fake->resets_for_ever ? REALTEK_COMMAND_RESET : 0);
    if (is_8139(fake))
        poke(fake, REALTEK_CPLUS, 2, 0);
    if (fake->mac_after_reset)
        memcpy(fake->registers, fake->mac, 6);
}

/* The bits that enable large frames, by chip, and MaxTxPacketSize for them. Chips that are not listed have none. */
static void check_large(const struct fake_realtek *fake)
{
    static const struct {
        uint16_t xid;
        uint8_t config3, config4, size;
    } chips[] = {{0x380, 0, 1, 0x3f},    {0x3c0, 0x04, 2, 0x3f}, {0x281, 0x04, 2, 0x3f},
                 {0x288, 0x04, 0, 0x3f}, {0x28b, 0x04, 1, 0x24}, {0x2c1, 0x04, 1, 0x24}};
    const bool large = fake->mtu > 1500;

    for (unsigned i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        if (chips[i].xid != fake->xid)
            continue;
        assert_int_equal(peek(fake, REALTEK_CONFIG3, 1) & chips[i].config3, large ? chips[i].config3 : 0);
        assert_int_equal(peek(fake, REALTEK_CONFIG4, 1) & chips[i].config4, large ? chips[i].config4 : 0);
        assert_int_equal(peek(fake, REALTEK_TXTHRESHOLD, 1), large ? chips[i].size : 0x3f);
    }
}

static void write_command(struct fake_realtek *fake, uint32_t value)
{
    if (value & REALTEK_COMMAND_RESET) {
        reset(fake);
        return;
    }
    if (value & REALTEK_COMMAND_RX && !(value & REALTEK_COMMAND_STOP)) {
        assert_true(peek(fake, REALTEK_RDSAR, 4) != 0 && peek(fake, REALTEK_TNPDS, 4) != 0);
        if (chip(fake)->flags & REALTEK_OUT_OF_BAND) {
            assert_false(peek(fake, REALTEK_MCU, 1) & REALTEK_MCU_OUT_OF_BAND);
            assert_false(peek(fake, REALTEK_MISC, 4) & REALTEK_MISC_RX_GATED);
            assert_int_equal(fake->ocp[REALTEK_OCP_FIFO], 1u << 15);
            assert_int_equal(peek(fake, REALTEK_PMCH, 1) & 0xc0, 0xc0);
        }
        if (fake->card->family == REALTEK_8125) { /* else it uses another descriptor format */
            assert_int_equal(fake->ocp[REALTEK_OCP_TX_FORMAT] & 1, 0);
            assert_int_equal(peek(fake, REALTEK_RX_FORMAT, 1) & 2, 0);
        }
        if (!is_8139(fake)) /* else a longer packet would take several descriptors */
            assert_in_range(peek(fake, REALTEK_RXMAXSIZE, 2), 1518, E1000_RX_BUFFER_BYTES);
        check_large(fake);
        fake->command_on = true;
        fake->tx_at = fake->rx_at = 0;
    }
    poke(fake, REALTEK_COMMAND, 1, value);
}

static void write_ocp(struct fake_realtek *fake, uint32_t value)
{
    const uint32_t address = (value & ~REALTEK_OCP_FLAG) >> 15 & 0xfffe;
    if (value & REALTEK_OCP_FLAG)
        fake->ocp[address] = (uint16_t)(value & 0x7fff) | (uint16_t)(value & 0x8000 & (address & 1 ? 0 : 0x8000));
    poke(fake, REALTEK_MAC_OCP, 4, value & REALTEK_OCP_FLAG ? value : fake->ocp[address]);
}

/* The PHY must be accessed through the register of this chip, and only to restart negotiation. */
static void write_phy(struct fake_realtek *fake, uint32_t offset, uint32_t value)
{
    const bool ocp = chip(fake)->flags & REALTEK_PHY_BY_OCP;
    assert_int_equal(offset, ocp ? REALTEK_GPHY_OCP : REALTEK_PHYAR);
    assert_int_equal(value, REALTEK_OCP_FLAG | (ocp ? 0xa400u << 15 : 0) | 0x1200);
    fake->negotiations++;
    fake->asleep = false;
}

static void write_register(void *context, uint32_t offset, unsigned bytes, uint32_t value)
{
    struct fake_realtek *fake = context;
    const bool unlocked = peek(fake, REALTEK_9346CR, 1) == REALTEK_9346CR_UNLOCK;

    if (offset != REALTEK_IDR0 + 4)
        check_width(fake, offset, bytes, true);
    if (offset < 8 || offset == REALTEK_CONFIG3 || offset == REALTEK_CONFIG4)
        assert_true(unlocked);
    if ((offset == REALTEK_RDSAR || offset == REALTEK_TNPDS) && is_8139(fake)) /* else the address is lost */
        assert_int_equal(peek(fake, REALTEK_CPLUS, 2) & 3, 3);
    if (offset == REALTEK_RDSAR || offset == REALTEK_TNPDS)
        assert_int_equal(value % 256, 0);
    if (offset == REALTEK_RXCONFIG && (value & REALTEK_RX_ACCEPT))
        assert_true(fake->command_on);
    if (offset == REALTEK_CPLUS && !is_8139(fake))
        assert_int_equal(value, 0x2003); /* of the bits set before; VLANs and receive checksums off */
    if (offset == REALTEK_COMMAND)
        write_command(fake, value);
    else if (offset == REALTEK_MAC_OCP)
        write_ocp(fake, value);
    else if (offset == REALTEK_PHYAR || offset == REALTEK_GPHY_OCP)
        write_phy(fake, offset, value);
    else
        poke(fake, offset, bytes, value);
}

static uint32_t read_register(void *context, uint32_t offset, unsigned bytes)
{
    struct fake_realtek *fake = context;
    const bool link = fake->link && !fake->asleep;

    if (fake->dead)
        return 0xffffffff >> (32 - 8 * bytes);
    check_width(fake, offset, bytes, false);
    if (offset == REALTEK_TXCONFIG)
        return (uint32_t)fake->xid << 20;
    if (offset == REALTEK_MEDIA)
        return link ? 0 : REALTEK_MEDIA_NO_LINK;
    if (offset == REALTEK_PHYSTATUS)
        return link ? REALTEK_PHYSTATUS_LINK : 0;
    if (offset == REALTEK_MCU)
        return peek(fake, offset, 1) | REALTEK_MCU_LIST_READY;
    return peek(fake, offset, bytes);
}

static void wait(void *context, uint32_t us)
{
    ((struct fake_realtek *)context)->us += us;
}

struct nic fake_realtek_nic(struct fake_realtek *fake)
{
    return (struct nic){
        .driver = &realtek_driver, .access = {read_register, write_register, wait, fake}, .registers = fake->registers};
}

static struct realtek_descriptor *ring_at(struct fake_realtek *fake, uint32_t reg, uint32_t index)
{
    const uint32_t pa = peek(fake, reg, 4);
    assert_int_equal(peek(fake, reg + 4, 4), 0);
    return (struct realtek_descriptor *)(void *)(fake->memory + pa) + index;
}

bool fake_realtek_send(struct fake_realtek *fake)
{
    const uint32_t most = is_8139(fake) ? REALTEK_8139_DESCRIPTORS : REALTEK_MAX_DESCRIPTORS;
    uint64_t config = 0;

    fake->packet_bytes = 0;
    for (bool first = true;; first = false) {
        struct realtek_descriptor *tx = ring_at(fake, REALTEK_TNPDS, fake->tx_at);
        const uint32_t bytes = tx->options & 0xffff;
        if (!(tx->options & REALTEK_OWN)) {
            assert_true(first); /* else the packet is incomplete */
            return false;
        }
        assert_int_equal((tx->options & REALTEK_FS) != 0, first);
        assert_int_equal((tx->options & REALTEK_EOR) != 0, fake->tx_at == most - 1);
        assert_true(bytes >= REALTEK_MIN_BYTES && fake->packet_bytes + bytes <= sizeof fake->packet);
        if (!first) /* all descriptors of a packet have the same bits, except for EOR, FS and LS */
            assert_int_equal((tx->options ^ config) & ~(0xffff | REALTEK_EOR | REALTEK_FS | REALTEK_LS), 0);
        config = tx->options;
        memcpy(fake->packet + fake->packet_bytes, fake->memory + tx->address, bytes);
        fake->packet_bytes += bytes;
        fake->tx_at = tx->options & REALTEK_EOR ? 0 : fake->tx_at + 1;
        tx->options &= ~REALTEK_OWN;
        if (config & REALTEK_LS)
            break;
    }
    if (fake->mtu > 1500) /* for frames of any size: the FIFO may be too small to compute a checksum first */
        assert_int_equal(config & (0xffffffff00000000 | 7u << 16), 0);
    fake->packet_options = config;
    return true;
}

bool fake_realtek_receive(struct fake_realtek *fake, const uint8_t *bytes, uint32_t size, uint64_t options)
{
    struct realtek_descriptor *rx = ring_at(fake, REALTEK_RDSAR, fake->rx_at);

    if (!(rx->options & REALTEK_OWN))
        return false;
    const uint64_t end = rx->options & REALTEK_EOR;
    assert_int_equal(end != 0, fake->rx_at == REALTEK_RX_DESCRIPTORS - 1);
    assert_int_equal(rx->options & 0x3fff, E1000_RX_BUFFER_BYTES);
    memcpy(fake->memory + rx->address, bytes, size);
    rx->options = end | options | (size + 4);
    fake->rx_at = end ? 0 : fake->rx_at + 1;
    return true;
}
