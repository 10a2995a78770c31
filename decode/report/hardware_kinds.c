#include "decode/report/hardware.h"

/* The profiles of the emulator's model (tests/model/pt_profile.cc), where each word has its source. */
static const struct hardware_kind broadwell = {.name = "broadwell", .ebx = 0x1, .ecx = 0x1};
static const struct hardware_kind skylake = {
    .name = "skylake", .ebx = 0xf, .ecx = 0x7, .eax1 = 0x02490002, .ebx1 = 0x003f3fff, .in_vmx_operation = true};
static const struct hardware_kind icelake = {.name = "icelake",
                                             .ebx = 0x1f,
                                             .ecx = 0x80000007,
                                             .eax1 = 0x02490004,
                                             .ebx1 = 0x003f1fff,
                                             .in_vmx_operation = true};

/* Models by their numbers: SDM Vol. 4, Table 2-1 "CPUID Signature Values of DisplayFamily_DisplayModel". */
static const struct {
    uint32_t model;
    const char *name;
    const struct hardware_kind *kind; /* NULL: it has Intel PT, and nobody has told us which */
} models[] = {
    {0x3d, "Broadwell", &broadwell},
    {0x47, "Broadwell", &broadwell},
    {0x4f, "Broadwell, server", &broadwell},
    {0x56, "Broadwell, Xeon D", &broadwell},
    {0x4e, "Skylake", &skylake},
    {0x5e, "Skylake", &skylake},
    {0x55, "Skylake, Cascade Lake or Cooper Lake, server", &skylake},
    {0x8e, "Kaby Lake or one of its successors", &skylake},
    {0x9e, "Kaby Lake or Coffee Lake", &skylake},
    {0xa5, "Comet Lake", &skylake},
    {0xa6, "Comet Lake", &skylake},
    {0x6a, "Ice Lake, server", NULL},
    {0x6c, "Ice Lake, server", NULL},
    {0x7d, "Ice Lake", &icelake},
    {0x7e, "Ice Lake", &icelake},
    {0x8c, "Tiger Lake", NULL},
    {0x8d, "Tiger Lake", NULL},
    {0xa7, "Rocket Lake", NULL},
    {0x8f, "Sapphire Rapids", NULL},
    {0xcf, "Emerald Rapids", NULL},
    {0x97, "Alder Lake", NULL},
    {0x9a, "Alder Lake", NULL},
    {0xb7, "Raptor Lake", NULL},
    {0xba, "Raptor Lake", NULL},
    {0xbf, "Raptor Lake", NULL},
    {0x5c, "Goldmont", NULL},
    {0x5f, "Goldmont, server", NULL},
    {0x7a, "Goldmont Plus", NULL},
};

const struct hardware_kind *hardware_kind_of(uint32_t model, const char **name)
{
    if (name)
        *name = NULL;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (models[i].model != model)
            continue;
        if (name)
            *name = models[i].name;
        return models[i].kind;
    }
    return NULL;
}
