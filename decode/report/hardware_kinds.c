#include "decode/report/hardware.h"

/* The table of docs/hardware.md, "CPUs", for the core that boots the firmware. All have MTC with codes 0, 3, 6 and 9,
 * PSB every 2K to 64K, and two ranges. */
#define TWO_RANGES_MTC 0x02490002
#define PSB_2K_TO_64K 0x003f0000
static const struct hardware_kind broadwell = {.name = "Broadwell", .ebx = 0x1, .ecx = 0x1};

#define LARGE_CORE(called, of_ebx, cyc)                                                                                \
    {                                                                                                                  \
        .name = called, .ebx = of_ebx, .ecx = 0x7, .eax1 = TWO_RANGES_MTC, .ebx1 = PSB_2K_TO_64K | cyc,                \
        .in_vmx_operation = true                                                                                       \
    }
static const struct hardware_kind skylake = LARGE_CORE("Skylake", 0xf, 0x3fff);
static const struct hardware_kind icelake = LARGE_CORE("Ice Lake", 0xf, 0x1fff);
static const struct hardware_kind alderlake = LARGE_CORE("Alder Lake", 0x5f, 0x3f);

static const struct {
    uint32_t model;
    const struct hardware_kind *kind;
} models[] = {
    {0x3d, &broadwell}, {0x47, &broadwell}, {0x4f, &broadwell}, {0x56, &broadwell}, {0x4e, &skylake},
    {0x5e, &skylake},   {0x8e, &skylake},   {0x9e, &skylake},   {0xa5, &skylake},   {0xa6, &skylake},
    {0x55, &skylake},   {0x66, &icelake},   {0x7e, &icelake},   {0xa7, &icelake},   {0x6a, &icelake},
    {0x6c, &icelake},   {0x97, &alderlake}, {0x9a, &alderlake}, {0xb7, &alderlake}, {0xba, &alderlake},
    {0xbf, &alderlake}, {0xaa, &alderlake}, {0xc5, &alderlake}, {0xb5, &alderlake}, {0xd7, &alderlake},
    {0x8f, &alderlake}, {0xcf, &alderlake}, {0xad, &alderlake},
};

const struct hardware_kind *hardware_kind_of(uint32_t model)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (models[i].model == model)
            return models[i].kind;
    return NULL;
}
