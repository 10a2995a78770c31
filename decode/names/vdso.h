/* The vDSO: a library in the kernel's image, whose pages the kernel patches as its own before programs get them. */
#ifndef DECODE_NAMES_VDSO_H
#define DECODE_NAMES_VDSO_H

#include <stdbool.h>

struct names;

/* Claim its pages, of all that the kernel's image has. false: no memory. */
bool vdso_match(struct names *names);

#endif
