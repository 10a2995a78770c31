/* Names of Intel's CPUs, by family and model. Pure. Source: Linux, arch/x86/include/asm/intel-family.h. */
#ifndef DECODE_DOCTOR_CPU_MODEL_H
#define DECODE_DOCTOR_CPU_MODEL_H

/* NULL: not known, or too old for Intel PT. */
const char *cpu_model_name(unsigned family, unsigned model);

#endif
