/* Kind: core, init */
/* Intel's cards of 1 and 2.5 Gbit/s, by PCI device id. */
#include "serial/nic/e1000.h"

#define INTEL 0x8086u

/* The 82540EM's packet memory of 64 KiB holds datagrams of 16 KB. The longest frame of all other cards has 9,018 bytes
 * or slightly more. */
#define MTU_82540 16110u
#define MTU_JUMBO 9000u
/* Before I217 to I219 use longer frames, Linux's driver divides the packet buffer differently and changes some twenty
 * undocumented registers of MAC and PHY (e1000_lv_jumbo_workaround_ich8lan, "Si errata"). This driver does neither. */
#define MTU_ICH 1500u

const struct nic_card e1000_cards[] = {
    {.name = "82540EM", .vendor = INTEL, .family = E1000_82540, .max_mtu = MTU_82540, .devices = {0x100e}},
    {.name = "82574",
     .vendor = INTEL,
     .family = E1000_82574,
     .max_mtu = MTU_JUMBO,
     .devices = {0x10d3, 0x10f6, 0x150c}},
    {.name = "I217/I218",
     .vendor = INTEL,
     .family = E1000_ICH,
     .max_mtu = MTU_ICH,
     .devices = {0x153a, 0x153b, 0x1559, 0x155a, 0x15a0, 0x15a1, 0x15a2, 0x15a3}},
    {.name = "I219",
     .vendor = INTEL,
     .family = E1000_ICH,
     .quirks = E1000_HANGS_AFTER_RESET,
     .max_mtu = MTU_ICH,
     .devices = {0x156f, 0x1570, 0x15b7, 0x15b8, 0x15b9, 0x15bb, 0x15bc, 0x15bd, 0x15be, 0x15d6, 0x15d7,
                 0x15d8, 0x15df, 0x15e0, 0x15e1, 0x15e2, 0x15e3, 0x15f4, 0x15f5, 0x15f9, 0x15fa, 0x15fb,
                 0x15fc, 0x0d4c, 0x0d4d, 0x0d4e, 0x0d4f, 0x0d53, 0x0d55, 0x0dc5, 0x0dc6, 0x1a1c, 0x1a1d,
                 0x1a1e, 0x1a1f, 0x550a, 0x550b, 0x550c, 0x550d, 0x550e, 0x550f, 0x5510, 0x5511, 0x57a0,
                 0x57a1, 0x57b3, 0x57b4, 0x57b5, 0x57b6, 0x57b7, 0x57b8, 0x57b9, 0x57ba}},
    {.name = "82576",
     .vendor = INTEL,
     .family = E1000_82576,
     .quirks = E1000_RESTARTS_LINK,
     .max_mtu = MTU_JUMBO,
     .devices = {0x10c9, 0x10e8, 0x150a, 0x1526}},
    {.name = "82580",
     .vendor = INTEL,
     .family = E1000_82576,
     .quirks = E1000_RESTARTS_LINK,
     .max_mtu = MTU_JUMBO,
     .devices = {0x150e, 0x1516}},
    {.name = "I350",
     .vendor = INTEL,
     .family = E1000_82576,
     .quirks = E1000_RESTARTS_LINK,
     .max_mtu = MTU_JUMBO,
     .devices = {0x1521, 0x1f41}},
    {.name = "I210",
     .vendor = INTEL,
     .family = E1000_82576,
     .quirks = E1000_RESTARTS_LINK | E1000_KEEPS_BUFFER_SIZES,
     .max_mtu = MTU_JUMBO,
     .devices = {0x1533, 0x157b}},
    {.name = "I211",
     .vendor = INTEL,
     .family = E1000_82576,
     .quirks = E1000_RESTARTS_LINK,
     .max_mtu = MTU_JUMBO,
     .devices = {0x1539}},
    {.name = "I225",
     .vendor = INTEL,
     .family = E1000_I225,
     .quirks = E1000_KEEPS_BUFFER_SIZES,
     .max_mtu = MTU_JUMBO,
     .devices = {0x0d9f, 0x15f2, 0x15f3, 0x5502}},
    {.name = "I226",
     .vendor = INTEL,
     .family = E1000_I225,
     .quirks = E1000_KEEPS_BUFFER_SIZES,
     .max_mtu = MTU_JUMBO,
     .devices = {0x125b, 0x125c, 0x125d}},
    {.vendor = 0},
};
