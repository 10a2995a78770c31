/* What Intel's CPUs are called, by family and model. Pure. Source: Linux, arch/x86/include/asm/intel-family.h. */
#ifndef DECODE_DOCTOR_CPU_MODEL_H
#define DECODE_DOCTOR_CPU_MODEL_H

/* NULL: none that could have Intel PT, or not known. */
const char *cpu_model_name(unsigned family, unsigned model);

#endif
