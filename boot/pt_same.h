/* Is Intel PT the same on another CPU? One configuration serves all. Core. */
#ifndef BOOT_PT_SAME_H
#define BOOT_PT_SAME_H

#include "pt/caps.h"

/* NULL: cpu can trace as first does. Else what is in the way, to stand behind the CPU's name and a colon. */
const char *pt_same_check(const struct pt_cpuid *first, const struct pt_cpuid *cpu);

#endif
