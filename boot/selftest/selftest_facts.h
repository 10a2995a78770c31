/* Reads what the self-test's findings are derived from. */
#ifndef BOOT_SELFTEST_SELFTEST_FACTS_H
#define BOOT_SELFTEST_SELFTEST_FACTS_H

#include "boot/selftest/findings.h"
#include "boot/selftest/selftest.h"

/* Facts about the first CPU, the machine and the channel. */
void selftest_facts_read(struct machine_facts *facts, const struct selftest *selftest);

/* Read the facts about VT-d again, after protect_try. */
void selftest_facts_read_vtd(struct machine_facts *facts, const struct selftest *selftest);

#endif
