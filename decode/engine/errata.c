#include "decode/engine/errata.h"

#include <stddef.h>

#include "decode/engine/flow_input.h"

#define BDM64 1u
#define SKD007 2u
#define SKD010 4u
#define SKD022 8u
#define APL11 16u
#define APL12 32u
#define SKL168 64u
#define SKZ84 128u

#define SKYLAKE (SKD007 | SKD010 | SKD022 | SKL168)
#define SERVER (SKD022 | SKZ84)

static const struct {
    uint8_t family, model, errata;
} known[] = {
    {6, 0x3d, BDM64},          {6, 0x47, BDM64},          {6, 0x4f, BDM64},          {6, 0x56, BDM64},
    {6, 0x4e, SKYLAKE},        {6, 0x5e, SKYLAKE},        {6, 0x8e, SKYLAKE},        {6, 0x9e, SKYLAKE},
    {6, 0xa5, SKYLAKE},        {6, 0xa6, SKYLAKE},        {6, 0x55, SERVER},         {6, 0x6a, SERVER},
    {6, 0x6c, SERVER},         {6, 0x8f, SERVER},         {6, 0xcf, SERVER},         {6, 0xad, SERVER},
    {6, 0xae, SERVER},         {6, 0x66, SKD022},         {6, 0x7d, SKD022},         {6, 0x7e, SKD022},
    {6, 0x8c, SKD022},         {6, 0x8d, SKD022},         {6, 0xa7, SKD022},         {6, 0xa8, SKD022},
    {6, 0x97, SKD022 | APL11}, {6, 0x9a, SKD022 | APL11}, {6, 0xba, SKD022 | APL11}, {6, 0xb7, SKD022 | APL11},
    {6, 0xbf, SKD022 | APL11}, {6, 0xc5, SKD022 | APL11}, {6, 0xc6, SKD022 | APL11}, {6, 0xb5, SKD022 | APL11},
    {6, 0xaa, SKD022 | APL11}, {6, 0xac, SKD022 | APL11}, {6, 0xbd, SKD022 | APL11}, {6, 0xcc, SKD022 | APL11},
    {6, 0xd5, SKD022 | APL11}, {6, 0x5c, APL11 | APL12},  {6, 0x5f, APL11 | APL12},  {6, 0x7a, APL11},
    {6, 0x86, APL11},          {6, 0x96, APL11},          {6, 0x9c, APL11},          {6, 0xb6, APL11},
    {6, 0xaf, APL11},          {6, 0xdd, APL11},          {18, 1, SKD022 | APL11},   {18, 3, SKD022 | APL11},
    {19, 1, SERVER},
};

struct errata errata_of(const struct flow_input *input)
{
    unsigned errata = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && input->cpu_known; i++)
        if (known[i].family == input->family && known[i].model == input->model)
            errata = known[i].errata;
    return (struct errata){
        .bdm64 = errata & BDM64,
        .skd007 = errata & SKD007,
        .skd010 = errata & SKD010,
        .skd022 = errata & SKD022,
        .skl168 = errata & SKL168,
        .skz84 = errata & SKZ84,
        .apl11 = errata & APL11,
        .apl12 = errata & APL12,
    };
}

bool errata_knows(const struct flow_input *input)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].family == input->family && known[i].model == input->model)
            return true;
    return false;
}
