/* The vDSO: a library in the kernel's image. The kernel patches its pages like its own code before it maps them. */
#ifndef DECODE_NAMES_VDSO_H
#define DECODE_NAMES_VDSO_H

#include <stdbool.h>

struct names;

/* Claim the pages of all vDSOs in the kernel's image. false: out of memory. */
bool vdso_match(struct names *names);

#endif
