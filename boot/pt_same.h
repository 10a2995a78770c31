/* Is Intel PT the same on another CPU? All CPUs use one configuration. */
#ifndef BOOT_PT_SAME_H
#define BOOT_PT_SAME_H

#include "pt/caps.h"

/* NULL if cpu can use the configuration made for first, else the difference, for a message about the CPU. */
const char *pt_same_check(const struct pt_cpuid *first, const struct pt_cpuid *cpu);

#endif
