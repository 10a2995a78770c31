/* Reading and writing the current VMCS. The width of each field is checked when this is compiled. Private to vmx/. */
#ifndef VMX_CPU_VMCS_H
#define VMX_CPU_VMCS_H

#include <stdint.h>

#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/vmcs_fields.h"

/* VMfailInvalid sets CF, VMfailValid ZF (SDM "Conventions" of the chapter "VMX Instruction Reference"). */
static inline uint64_t vmcs_read(uint32_t field)
{
    uint64_t value;
    uint8_t failed;
    __asm__ volatile("vmread %[field], %[value]"
                     : [value] "=r"(value), "=@ccbe"(failed)
                     : [field] "r"((uint64_t)field)
                     : "memory");
    if (__builtin_expect(failed, 0))
        vmcs_access_failed(field);
    return value;
}

static inline void vmcs_write(uint32_t field, uint64_t value)
{
    uint8_t failed;
    __asm__ volatile("vmwrite %[value], %[field]"
                     : "=@ccbe"(failed)
                     : [value] "r"(value), [field] "r"((uint64_t)field)
                     : "memory");
    if (__builtin_expect(failed, 0))
        vmcs_access_failed(field);
}

static inline uint32_t vmread32(enum vmcs32 field)
{
    return (uint32_t)vmcs_read(field);
}

static inline uint64_t vmread64(enum vmcs64 field)
{
    return vmcs_read(field);
}

static inline uint64_t vmreadn(enum vmcsn field)
{
    return vmcs_read(field);
}

static inline void vmwrite16(enum vmcs16 field, uint16_t value)
{
    vmcs_write(field, value);
}

static inline void vmwrite32(enum vmcs32 field, uint32_t value)
{
    vmcs_write(field, value);
}

static inline void vmwrite64(enum vmcs64 field, uint64_t value)
{
    vmcs_write(field, value);
}

static inline void vmwriten(enum vmcsn field, uint64_t value)
{
    vmcs_write(field, value);
}

#endif
