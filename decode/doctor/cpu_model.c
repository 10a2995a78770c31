#include "decode/doctor/cpu_model.h"

#include <stddef.h>

static const struct {
    unsigned char family, model;
    const char *name;
} models[] = {
    {6, 0x3d, "Broadwell"},
    {6, 0x47, "Broadwell"},
    {6, 0x4f, "Broadwell, server"},
    {6, 0x56, "Broadwell-D"},
    {6, 0x4e, "Skylake, mobile"},
    {6, 0x5e, "Skylake"},
    {6, 0x55, "Skylake, Cascade Lake or Cooper Lake, server"},
    {6, 0x8e, "Kaby Lake, mobile, and its successors"},
    {6, 0x9e, "Kaby Lake, Coffee Lake"},
    {6, 0xa5, "Comet Lake"},
    {6, 0xa6, "Comet Lake, mobile"},
    {6, 0x66, "Cannon Lake"},
    {6, 0x6a, "Ice Lake, server"},
    {6, 0x6c, "Ice Lake-D"},
    {6, 0x7d, "Ice Lake"},
    {6, 0x7e, "Ice Lake, mobile"},
    {6, 0xa7, "Rocket Lake"},
    {6, 0x8c, "Tiger Lake, mobile"},
    {6, 0x8d, "Tiger Lake"},
    {6, 0x8f, "Sapphire Rapids"},
    {6, 0xcf, "Emerald Rapids"},
    {6, 0xad, "Granite Rapids"},
    {6, 0xae, "Granite Rapids-D"},
    {19, 0x01, "Diamond Rapids"},
    {6, 0xd7, "Bartlett Lake"},
    {6, 0x8a, "Lakefield"},
    {6, 0x97, "Alder Lake"},
    {6, 0x9a, "Alder Lake, mobile"},
    {6, 0xb7, "Raptor Lake"},
    {6, 0xba, "Raptor Lake, mobile"},
    {6, 0xbf, "Raptor Lake"},
    {6, 0xac, "Meteor Lake"},
    {6, 0xaa, "Meteor Lake, mobile"},
    {6, 0xc5, "Arrow Lake, mobile"},
    {6, 0xc6, "Arrow Lake"},
    {6, 0xb5, "Arrow Lake-U"},
    {6, 0xbd, "Lunar Lake"},
    {6, 0xcc, "Panther Lake"},
    {6, 0xd5, "Wildcat Lake"},
    {18, 0x01, "Nova Lake"},
    {18, 0x03, "Nova Lake, mobile"},
    {6, 0x5c, "Goldmont (Apollo Lake)"},
    {6, 0x5f, "Goldmont (Denverton)"},
    {6, 0x7a, "Goldmont Plus (Gemini Lake)"},
    {6, 0x86, "Tremont (Jacobsville)"},
    {6, 0x96, "Tremont (Elkhart Lake)"},
    {6, 0x9c, "Tremont (Jasper Lake)"},
    {6, 0xbe, "Gracemont (Alder Lake-N)"},
    {6, 0xaf, "Sierra Forest"},
    {6, 0xb6, "Grand Ridge"},
    {6, 0xdd, "Clearwater Forest"},
};

const char *cpu_model_name(unsigned family, unsigned model)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (models[i].family == family && models[i].model == model)
            return models[i].name;
    return NULL;
}
