/* What the self-test's findings are made of, as this machine has it. Shell. */
#ifndef BOOT_SELFTEST_SELFTEST_FACTS_H
#define BOOT_SELFTEST_SELFTEST_FACTS_H

#include "boot/selftest/findings.h"
#include "boot/state.h"

/* Of the first CPU, with the channel as it has come to be. */
void selftest_facts_read(struct machine_facts *facts, const struct boot_state *boot);

/* Of VT-d, once more: it has been tried meanwhile. */
void selftest_facts_read_vtd(struct machine_facts *facts, const struct boot_state *boot);

#endif
