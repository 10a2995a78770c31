/* Kind: core, init */
/* Realtek's cards by PCI device id, and their chips by XID. */
#include "serial/nic/realtek_cards.h"

#define REALTEK 0x10ecu
#define NCUBE 0x10ffu      /* the vendor id that some 8168 report */
#define FIRST_C_PLUS 0x20u /* 8139 and 8139A to D have another programming model */
#define MTU_4K 4074u       /* 4 KiB without the header and trailer of a frame with a VLAN tag: Linux's limits */
#define MTU_6K 6122u
#define MTU_MOST 9000u /* chips that take frames of 9 KiB, and the 8125, which takes 16 KiB */

const struct nic_card realtek_cards[] = {
    {.name = "RTL8139C+",
     .vendor = REALTEK,
     .first_revision = FIRST_C_PLUS,
     .family = REALTEK_8139,
     .max_mtu = REALTEK_MTU_STANDARD,
     .devices = {0x8139}},
    {.name = "RTL8101 to 8107",
     .vendor = REALTEK,
     .family = REALTEK_8168,
     .max_mtu = REALTEK_MTU_STANDARD,
     .devices = {0x8136}},
    {.name = "RTL8168/8111",
     .vendor = REALTEK,
     .family = REALTEK_8168,
     .max_mtu = MTU_MOST,
     .devices = {0x8168, 0x8161, 0x2502, 0x2600}},
    {.name = "RTL8168/8111", .vendor = NCUBE, .family = REALTEK_8168, .max_mtu = MTU_MOST, .devices = {0x8168}},
    {.name = "RTL8125",
     .vendor = REALTEK,
     .family = REALTEK_8125,
     .max_mtu = MTU_MOST,
     .devices = {0x8125, 0x8162, 0x3000}},
    {.vendor = 0},
};

/* RxConfig: thresholds, bursts, and bits that only Linux's driver documents. */
#define RX_WHOLE_PACKET (7u << 13)
#define RX_BURST (7u << 8)
#define RX_INT_128 (1u << 15)
#define RX_MULTI (1u << 14)
#define RX_EARLY_OFF (1u << 11)
#define RX_FETCH_8 (8u << 27)
#define RX_PAUSE_SLOT (1u << 11) /* 8125 */

#define MODERN (REALTEK_PHY_BY_OCP | REALTEK_OUT_OF_BAND | REALTEK_PLL_BIT_7 | REALTEK_PLL_BIT_6)

/* Config3, Config4, MaxTxPacketSize. Bit 2 of Config3 and bit 1 of Config4 are Jumbo_En0 and Jumbo_En1. */
#define LARGE_PLAIN 0, 0, 0
#define LARGE_B 0, 1, 0
#define LARGE_C 4, 2, 0
#define LARGE_DP 4, 0, 0
#define LARGE_E 4, 1, 0x24
#define NO_LARGE LARGE_PLAIN, REALTEK_MTU_STANDARD

/* The first matching row counts. The last row of a family matches every chip. */
static const struct realtek_chip chips_8168[] = {
    /* B, of which the first revision has no large frames; 8100E, 8101E */
    {0x7c8, 0x300, REALTEK_SUMS_IN_FIRST, NO_LARGE, RX_WHOLE_PACKET | RX_BURST},
    {0x7c8, 0x308, REALTEK_SUMS_IN_FIRST, NO_LARGE, RX_WHOLE_PACKET | RX_BURST},
    {0x7c8, 0x380, REALTEK_SUMS_IN_FIRST, LARGE_B, MTU_4K, RX_WHOLE_PACKET | RX_BURST},
    {0x7c8, 0x388, REALTEK_SUMS_IN_FIRST, NO_LARGE, RX_WHOLE_PACKET | RX_BURST},
    {0x7c8, 0x340, REALTEK_SUMS_IN_FIRST, NO_LARGE, RX_WHOLE_PACKET | RX_BURST},
    /* C, CP */
    {0x7c0, 0x3c0, 0, LARGE_C, MTU_6K, RX_INT_128 | RX_MULTI | RX_BURST},
    /* 8102E, 8103E */
    {0x6c8, 0x248, 0, NO_LARGE, RX_INT_128 | RX_BURST},
    /* DP, of which the third revision is like the E; D */
    {0x7cf, 0x288, REALTEK_PLL_BIT_7, LARGE_DP, MTU_MOST, RX_INT_128 | RX_BURST},
    {0x7cf, 0x28a, REALTEK_PLL_BIT_7, LARGE_DP, MTU_MOST, RX_INT_128 | RX_BURST},
    {0x7cf, 0x28b, REALTEK_PLL_BIT_7, LARGE_E, MTU_MOST, RX_INT_128 | RX_BURST},
    {0x7c0, 0x280, REALTEK_PLL_BIT_7, LARGE_C, MTU_MOST, RX_INT_128 | RX_BURST},
    /* E-VL, then E */
    {0x7c8, 0x2c8, REALTEK_EARLY_SIZE, LARGE_PLAIN, MTU_MOST, RX_INT_128 | RX_MULTI | RX_BURST},
    {0x7c8, 0x2c0, REALTEK_PLL_BIT_7, LARGE_E, MTU_MOST, RX_INT_128 | RX_BURST},
    /* F, 8411 */
    {0x7c0, 0x480, REALTEK_EARLY_SIZE, LARGE_PLAIN, MTU_MOST, RX_INT_128 | RX_MULTI | RX_BURST},
    /* 8105E; 8402, 8106E */
    {0x7c0, 0x400, REALTEK_PLL_BIT_7, NO_LARGE, RX_INT_128 | RX_BURST},
    {0x7c0, 0x440, REALTEK_PLL_BIT_7, NO_LARGE, RX_INT_128 | RX_BURST},
    /* all others: G, H, EP, FP */
    {0, 0, MODERN | REALTEK_EARLY_SIZE, LARGE_PLAIN, MTU_MOST, RX_INT_128 | RX_MULTI | RX_BURST | RX_EARLY_OFF},
};

static const struct realtek_chip chips_8125[] = {
    {0x7c8, 0x608, MODERN, LARGE_PLAIN, MTU_MOST, RX_FETCH_8 | RX_BURST},         /* A */
    {0, 0, MODERN, LARGE_PLAIN, MTU_MOST, RX_FETCH_8 | RX_BURST | RX_PAUSE_SLOT}, /* B, D and later */
};

/* The values that Linux's driver uses. */
static const struct realtek_chip chip_8139 = {0, 0, REALTEK_SUMS_IN_FIRST, NO_LARGE, 5u << 13 | 4u << 8};

const struct realtek_chip *realtek_chip_of(uint8_t family, uint32_t tx_config)
{
    const struct realtek_chip *chip = family == REALTEK_8125 ? chips_8125 : chips_8168;

    if (family == REALTEK_8139)
        return &chip_8139;
    while ((tx_config >> 20 & chip->mask) != chip->value)
        chip++;
    return chip;
}
