/* Memory maps of real machines, as printed by their kernels, and unusual ones. */
#ifndef TESTS_UNIT_BOOT_REAL_MAPS_H
#define TESTS_UNIT_BOOT_REAL_MAPS_H

#include "boot/memory/carve.h"

#define U MEMORY_USABLE
#define R MEMORY_RESERVED
#define A MEMORY_ACPI
#define N MEMORY_NVS
#define PERSISTENT 7u
#define NR_MAX 24u

struct machine_map {
    const char *name;
    struct memory_range ranges[NR_MAX];
};

static const struct machine_map machines[] = {
    {"HP ProLiant DL585 G7, 1012 GiB",
     {{{0, 0x9c000}, U},
      {{0x9c000, 0xa0000}, R},
      {{0xf0000, 0x100000}, R},
      {{0x100000, 0xbde0e000}, U},
      {{0xbde0e000, 0xbde4e000}, A},
      {{0xbde4e000, 0xbde4f000}, U},
      {{0xbde4f000, 0xd0000000}, R},
      {{0xfec00000, 0xfee10000}, R},
      {{0xff800000, 0x100000000}, R},
      {{0x100000000, 0xfcfefff000}, U}}},
    {"a virtual machine of 978 GiB, with a hole that is reserved up to 1 TiB",
     {{{0, 0x9fc00}, U},
      {{0x9fc00, 0xa0000}, R},
      {{0xf0000, 0x100000}, R},
      {{0x100000, 0x7ffdb000}, U},
      {{0x7ffdb000, 0x80000000}, R},
      {{0xb0000000, 0xc0000000}, R},
      {{0xfed1c000, 0xfed20000}, R},
      {{0xfeffc000, 0xff000000}, R},
      {{0xfffc0000, 0x100000000}, R},
      {{0x100000000, 0xf4a4000000}, U},
      {{0xfd00000000, 0x10000000000}, R}}},
    {"a laptop of 8 GiB, a patchwork below 4 GiB, its top at no GiB",
     {{{0, 0x58000}, U},
      {{0x58000, 0x59000}, R},
      {{0x59000, 0x9e000}, U},
      {{0x9e000, 0xa0000}, R},
      {{0x100000, 0xad853000}, U},
      {{0xad853000, 0xad85a000}, N},
      {{0xad85a000, 0xae0d3000}, U},
      {{0xae0d3000, 0xae374000}, R},
      {{0xae374000, 0xbd8c6000}, U},
      {{0xbd8c6000, 0xbdacf000}, R},
      {{0xbdacf000, 0xbde01000}, U},
      {{0xbde01000, 0xbeb06000}, N},
      {{0xbeb06000, 0xbefff000}, R},
      {{0xbefff000, 0xbf000000}, U},
      {{0xf8000000, 0xfc000000}, R},
      {{0x100000000, 0x23f600000}, U}}},
    {"HP Z8 G4, the middle of its memory above 4 GiB reserved",
     {{{0, 0x9f000}, U},
      {{0x9f000, 0x100000}, R},
      {{0x100000, 0x6a9ae000}, U},
      {{0x6a9ae000, 0x6abc0000}, A},
      {{0x6abc0000, 0x6f800000}, U},
      {{0x6f800000, 0x90000000}, R},
      {{0xfe000000, 0xfe011000}, R},
      {{0x100000000, 0x1480000000}, U},
      {{0x1480000000, 0x2840000000}, R},
      {{0x2840000000, 0x2880000000}, U}}},
    {"two sockets, 1.5 TiB of memory, each with its own persistent memory",
     {{{0, 0x3e000}, U},
      {{0x3e000, 0xa0000}, R},
      {{0x100000, 0x64ae3000}, U},
      {{0x64ae3000, 0x6cbcf000}, R},
      {{0x6cbcf000, 0x6dbcf000}, N},
      {{0x6dbcf000, 0x6f3ff000}, A},
      {{0x6f3ff000, 0x6f800000}, U},
      {{0x6f800000, 0x90000000}, R},
      {{0xfd000000, 0xfe800000}, R},
      {{0x100000000, 0xc080000000}, U},
      {{0xc080000000, 0x18080000000}, PERSISTENT},
      {{0x18080000000, 0x24080000000}, U},
      {{0x24080000000, 0x30080000000}, PERSISTENT}}},
    {"entries that overlap, in no order, with ends in the midst of a page",
     {{{0x100000000, 0x3ffffe800}, U},
      {{0x100000, 0x7fee0123}, U},
      {{0, 0x9f800}, U},
      {{0x200000000, 0x200000001}, R},
      {{0x7f000000, 0x80000000}, R},
      {{0x40000000, 0x7f800000}, U},
      {{0x3f0000000, 0x3f0100000}, A},
      {{0xf0000, 0x100000}, R},
      {{0x3ffffe800, 0x400000000}, R}}},
};
#define NR_MACHINES (sizeof machines / sizeof machines[0])

#endif
