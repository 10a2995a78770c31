/* Where code goes that is not needed for long: linker.ld. */
#ifndef BASE_INIT_H
#define BASE_INIT_H

/* Single functions of files that stay: with all that is compiled into it, no code that is needed once the guest runs;
 * nor what runs with TraceEn set on the way there, as the capture has .text alone (vmx/exits.c: vmx_start). Whole
 * files say it in their first line (mk/hypervisor.mk), and have their texts and tables there too. The linker refuses
 * what stays and needs any of it (linker.ld: NOCROSSREFS_TO). */
#define INIT_CODE __attribute__((section(".init.text"), noinline))

/* The same for tables that only such code reads. */
#define INIT_DATA __attribute__((section(".init.table")))

#endif
