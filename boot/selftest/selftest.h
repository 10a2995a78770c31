/*
 * selftest=on, the second entry of the image's menu: can this machine be traced, and does its wire carry the trace?
 * What is found is said in plain words on the console and to the receiver; no guest is started. Shell.
 */
#ifndef BOOT_SELFTEST_SELFTEST_H
#define BOOT_SELFTEST_SELFTEST_H

#include "boot/state.h"

/* In the second act, with the CPUs left alone. */
_Noreturn void selftest_run(struct boot_state *boot);

#endif
