/* The parts of facts_read. Each fills in its own facts. */
#ifndef DECODE_DOCTOR_FACTS_PARTS_H
#define DECODE_DOCTOR_FACTS_PARTS_H

#include "decode/doctor/facts.h"

void facts_read_cpu(struct facts_cpu *cpu, const char *root);
void facts_read_wire(struct facts *facts, const char *root);
void facts_read_boot(struct facts_boot *boot, bool efi, const char *root);
void facts_read_system(struct facts *facts, const char *root);

#endif
