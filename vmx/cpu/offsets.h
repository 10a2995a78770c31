/* Offsets in struct cpu that vmx/cpu/entry.S needs; vmx/cpu/cpu.h asserts them. */
#ifndef VMX_CPU_OFFSETS_H
#define VMX_CPU_OFFSETS_H

#define CPU_STACK_SIZE 16384
#define CPU_NMIS_IN_ROOT CPU_STACK_SIZE

#endif
