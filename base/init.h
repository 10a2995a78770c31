/* Functions and tables of the init section, which is used only before the guest runs: linker.ld. */
#ifndef BASE_INIT_H
#define BASE_INIT_H

/* A function in a resident file that belongs to the init section. A file that belongs there as a whole
 * says so in its first line instead (mk/hypervisor.mk). The linker rejects references from resident sections
 * (linker.ld: NOCROSSREFS_TO). Init code must not run with TraceEn set, as a capture contains the code of .text only
 * (vmx/exit/dispatch.c: vmx_start). */
#define INIT_CODE __attribute__((section(".init.text"), noinline))

/* A constant table that only init code reads. */
#define INIT_DATA __attribute__((section(".init.table")))

#endif
