/* Kind: core */
#include "vmx/exit/task_state.h"

#include "vmx/guest/inject.h"

#define RIGHTS_WRITE 2u /* of data; of code: readable */
#define RIGHTS_CONFORMING 4u
#define RIGHTS_CODE 8u
#define RIGHTS_S 0x10u
#define RIGHTS_P 0x80u
#define RIGHTS_G (1u << 15)
#define RIGHTS_DEFINED 0xf0ffu
#define RIGHTS_DPL_SHIFT 5

#define RIGHTS_S_TYPE 0x1fu
#define RIGHTS_LDT 2u

#define UPPER_HALF 0xffff0000u

void task_narrow_save(uint16_t *words, const uint32_t *fields)
{
    for (uint32_t i = 0; i < NR_TASK_NARROW - 1; i++)
        words[i] = (uint16_t)fields[TASK_EIP + i];
}

void task_narrow_load(uint32_t *fields, const uint16_t *words)
{
    for (uint32_t i = 0; i < NR_TASK_NARROW; i++)
        fields[TASK_EIP + i] = words[i] | (i - 2 < 8 ? UPPER_HALF : 0);
    fields[TASK_LDTR] = fields[TASK_FS];
    fields[TASK_FS] = fields[TASK_GS] = fields[TASK_TRAP] = 0;
}

void task_segment_of(struct task_segment *segment, uint64_t descriptor)
{
    const uint32_t low = (uint32_t)descriptor, high = (uint32_t)(descriptor >> 32);

    segment->base = low >> 16 | (high & 0xff) << 16 | (high & 0xff000000);
    segment->limit = (low & 0xffff) | (high & 0xf0000);
    segment->access_rights = high >> 8 & RIGHTS_DEFINED;
    if (segment->access_rights & RIGHTS_G)
        segment->limit = segment->limit << 12 | 0xfff;
}

uint32_t task_segment_fault(uint32_t field, uint32_t selector, uint32_t cpl, uint32_t access_rights)
{
    const uint32_t rpl = selector & 3, dpl = access_rights >> RIGHTS_DPL_SHIFT & 3,
                   type = access_rights & RIGHTS_S_TYPE;
    const bool code = (type & RIGHTS_CODE), conforming = code && (type & RIGHTS_CONFORMING);
    bool good = type & RIGHTS_S;

    if (field == TASK_LDTR)
        return (access_rights & (RIGHTS_P | RIGHTS_S_TYPE)) == (RIGHTS_P | RIGHTS_LDT) ? 0 : VECTOR_TS;
    if (field == TASK_CS)
        good = good && code && (dpl == rpl || (conforming && dpl < rpl));
    else if (field == TASK_SS)
        good = good && !code && (type & RIGHTS_WRITE) && dpl == rpl && dpl == cpl;
    else
        good = good && (!code || (type & RIGHTS_WRITE)) && (conforming || (rpl <= dpl && cpl <= dpl));
    if (!good)
        return VECTOR_TS;
    return access_rights & RIGHTS_P ? 0 : field == TASK_SS ? VECTOR_SS : VECTOR_NP;
}
