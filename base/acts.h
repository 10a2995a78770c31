/* Where code goes that is not needed for long: linker.ld. */
#ifndef BASE_ACTS_H
#define BASE_ACTS_H

/* Single functions of files that stay: with all that is compiled into it, no code that is needed once the guest runs;
 * nor what runs with TraceEn set on the way there, as the capture has .text alone (vmx/startup.c: cpu_start). Whole
 * files are in the Makefile's list BEFORE_GUEST, and have their texts and tables there too. The linker refuses what
 * stays and needs any of it (linker.ld: NOCROSSREFS_TO). */
#define SECOND_ACT __attribute__((section(".second_act"), noinline))

/* The same for tables that only such code reads. */
#define SECOND_ACT_DATA __attribute__((section(".second_act_data")))

#endif
