/* A Skylake's capability MSRs of VMX. */
#ifndef TESTS_UNIT_VMX_SKYLAKE_VMX_H
#define TESTS_UNIT_VMX_SKYLAKE_VMX_H

#include "vmx/caps.h"

static inline struct vmx_caps skylake_vmx(void)
{
    return (struct vmx_caps){
        .cpuid_1_ecx = 1u << 5,
        .perfmon_version = 4,
        .feature_control = 5,
        .basic = 0x00da040000000004,
        .pin = 0x0000007f00000016,
        .proc = 0xfff9fffe04006172,
        .proc2 = 0x00553cfe00000000,
        .exit = 0x01ffffff00036dfb,
        .entry = 0x0003ffff000011fb,
        .ept_vpid = 0x00000f0106734141,
    };
}

#endif
