/* Offsets in struct cpu that vmx/cpu/entry.S needs; vmx/cpu/cpu.h asserts them. */
#ifndef VMX_CPU_OFFSETS_H
#define VMX_CPU_OFFSETS_H

#define CPU_STACK_SIZE 16384
#define CPU_NMIS_IN_ROOT CPU_STACK_SIZE
#define CPU_MEASURES (CPU_NMIS_IN_ROOT + 4)
#define CPU_VERW_SELECTOR (CPU_NMIS_IN_ROOT + 6)
#define CPU_GUEST_SPEC_CTRL (CPU_NMIS_IN_ROOT + 8)

/* mitigations=on: what is done at each VM exit and before each VM entry, bits of struct cpu's measures. */
#define MEASURE_RSB 1       /* after a VM exit, fill the return stack buffer */
#define MEASURE_IBRS 2      /* root runs with IA32_SPEC_CTRL.IBRS set, the guest with its own value */
#define MEASURE_L1D_FLUSH 4 /* before VM entry, IA32_FLUSH_CMD.L1D_FLUSH */
#define MEASURE_VERW 8      /* before VM entry, VERW clears the CPU's buffers */

#endif
