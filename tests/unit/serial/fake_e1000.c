#include "tests/unit/serial/fake_e1000.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "serial/nic/e1000_registers.h"
#include "tests/unit/serial/nic_checks.h"

#define CTRL_RESETS (CTRL_RST | CTRL_PHY_RST) /* self-clearing bits */

static bool is_old(const struct fake_e1000 *fake)
{
    return fake->card->family == E1000_82540;
}

static uint32_t *reg(struct fake_e1000 *fake, uint32_t offset)
{
    assert_true(offset % 4 == 0 && offset < sizeof fake->registers);
    return &fake->registers[offset / 4];
}

void fake_e1000_set_up(struct fake_e1000 *fake, uint32_t device)
{
    *fake = (struct fake_e1000){.card = card_of(device << 16 | 0x8086, 0),
                                .mac = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56},
                                .mac_in_ral = true,
                                .link = true};
    assert_non_null(fake->card);
    *reg(fake, REG_STATUS) = is_old(fake) ? 0 : STATUS_GIO_MASTER_ENABLE;
    *reg(fake, REG_RCTL) = RCTL_EN;
    *reg(fake, REG_TCTL) = TCTL_EN;
    *reg(fake, REG_RXPBS) = 0x11;
    *reg(fake, REG_TXPBS) = 0x22;
    *reg(fake, REG_CTRL) = CTRL_FRCSPD | CTRL_RFCE;
}

/* No manual allows a reset during a transfer. */
static void reset(struct fake_e1000 *fake)
{
    assert_false(*reg(fake, REG_RCTL) & RCTL_EN);
    assert_false(*reg(fake, REG_TCTL) & TCTL_EN);
    if (!is_old(fake) && !fake->master_hangs)
        assert_false(*reg(fake, REG_STATUS) & STATUS_GIO_MASTER_ENABLE);
    if (fake->card->quirks & E1000_KEEPS_BUFFER_SIZES) { /* the reset does not change them */
        assert_int_equal(*reg(fake, REG_RXPBS), RXPBS_AT_POWER_UP);
        assert_int_equal(*reg(fake, REG_TXPBS), TXPBS_AT_POWER_UP);
    } else {
        assert_int_equal(*reg(fake, REG_RXPBS), 0x11);
    }
    fake->resets++;
    const uint32_t pba = *reg(fake, REG_PBA), rxpbs = *reg(fake, REG_RXPBS), txpbs = *reg(fake, REG_TXPBS);
    memset(fake->registers, 0, sizeof fake->registers);
    *reg(fake, REG_PBA) = pba;
    *reg(fake, REG_RXPBS) = rxpbs;
    *reg(fake, REG_TXPBS) = txpbs;
    *reg(fake, REG_STATUS) = is_old(fake) ? 0 : STATUS_GIO_MASTER_ENABLE;
    if (fake->mac_in_ral) {
        memcpy(reg(fake, REG_RAL0), fake->mac, 4);
        *reg(fake, REG_RAH0) = fake->mac[4] | (uint32_t)fake->mac[5] << 8 | RAH_AV;
    }
}

static void write_ctrl(struct fake_e1000 *fake, uint32_t value)
{
    assert_false(value & CTRL_PHY_RST); /* many of I217 to I219 lose their link permanently */
    *reg(fake, REG_CTRL) = value & ~CTRL_RESETS;
    if (!is_old(fake))
        assert_false(value & CTRL_ASDE);
    if (!is_old(fake) && (value & CTRL_GIO_MASTER_DISABLE) && !fake->master_hangs)
        *reg(fake, REG_STATUS) &= ~STATUS_GIO_MASTER_ENABLE;
    if (value & CTRL_RST)
        reset(fake);
}

/* EERD has other fields on the 82540EM than on its successors. I217 to I219, I225 and I226 do not have it. */
static void write_eerd(struct fake_e1000 *fake, uint32_t value)
{
    assert_true(fake->card->family != E1000_ICH && fake->card->family != E1000_I225);
    const uint32_t word = is_old(fake) ? value >> 8 : value >> 2;
    assert_true(value & EERD_START);
    assert_in_range(word, 0, 2);
    *reg(fake, REG_EERD) = (uint32_t)fake->mac[2 * word] << 16 | (uint32_t)fake->mac[2 * word + 1] << 24 |
                           (is_old(fake) ? EERD_DONE_82540 : EERD_DONE);
}

static void write_mdic(struct fake_e1000 *fake, uint32_t value)
{
    assert_true(fake->card->quirks & E1000_RESTARTS_LINK); /* no access to the PHY of other cards */
    assert_int_equal(value, MDIC_WRITE | MDIC_PHY_1 | PHY_CONTROL_NEGOTIATE);
    fake->negotiations++;
    *reg(fake, REG_MDIC) = value | MDIC_READY;
}

/* A tail write requires a valid ring, an enabled queue if there are queues, and the I219's workaround. */
static void ring_must_be_ready(struct fake_e1000 *fake, uint32_t block, uint32_t tail)
{
    const uint32_t bytes = *reg(fake, block + 8), base = *reg(fake, block);
    assert_true(bytes >= 16 * 16 && bytes % 128 == 0 && bytes <= 16 * E1000_MAX_DESCRIPTORS);
    assert_int_equal(base % 128, 0);
    assert_true(tail < bytes / 16);
    if (e1000_is_advanced(fake->card))
        assert_true(*reg(fake, block + 0x28) & DCTL_ENABLE);
    if (fake->card->quirks & E1000_HANGS_AFTER_RESET)
        assert_true(*reg(fake, REG_FEXTNVM11) & FEXTNVM11_NO_HANG);
}

static void write_register(void *context, uint32_t offset, unsigned bytes, uint32_t value)
{
    struct fake_e1000 *fake = context;

    assert_int_equal(bytes, 4);
    if (offset == REG_CTRL) {
        write_ctrl(fake, value);
    } else if (offset == REG_EERD) {
        write_eerd(fake, value);
    } else if (offset == REG_MDIC) {
        write_mdic(fake, value);
    } else {
        if (offset == REG_FEXTNVM11)
            assert_true(fake->card->family == E1000_ICH);
        if (offset == REG_TXDCTL && e1000_is_advanced(fake->card)) /* the ring must be set up before */
            assert_true(*reg(fake, REG_TDLEN) != 0);
        if ((offset == REG_TDT || offset == REG_RDT) && value != 0)
            ring_must_be_ready(fake, offset == REG_TDT ? REG_TDBAL : REG_RDBAL, value);
        *reg(fake, offset) = value;
    }
}

static bool has_link(const struct fake_e1000 *fake)
{
    return fake->link && (fake->registers[REG_CTRL / 4] & CTRL_SLU) &&
           (!(fake->card->quirks & E1000_RESTARTS_LINK) || fake->negotiations > 0);
}

static uint32_t read_register(void *context, uint32_t offset, unsigned bytes)
{
    struct fake_e1000 *fake = context;

    assert_int_equal(bytes, 4);
    if (fake->dead)
        return 0xffffffff;
    if (offset == REG_STATUS)
        return *reg(fake, offset) | (has_link(fake) ? STATUS_LU : 0);
    return *reg(fake, offset);
}

static void wait(void *context, uint32_t us)
{
    ((struct fake_e1000 *)context)->us += us;
}

struct nic fake_e1000_nic(struct fake_e1000 *fake)
{
    return (struct nic){.driver = &e1000_driver,
                        .access = {read_register, write_register, wait, fake},
                        .registers = (volatile uint8_t *)fake->registers};
}
