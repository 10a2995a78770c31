/*
 * How long interrupts and exceptions took, by the function that they enter: the guest's handler in its IDT. The trace
 * has neither the vector nor RFLAGS.IF. The vector is known where the handler begins by pushing it, as Linux's do for
 * the interrupts of devices. Interrupts are known to be off only from the entry of a hardware interrupt of Linux, whose
 * IDT has interrupt gates, until it returns, softirqs begin, or another interrupt arrives. Pure.
 */
#ifndef DECODE_MEASURE_IRQS_H
#define DECODE_MEASURE_IRQS_H

#include "decode/measure/name_classes.h"
#include "decode/measure/rows.h"

enum irqs_measured { IRQS_ALL, IRQS_OFF };

struct irqs {
    struct measure measure;
    struct name_classes classes;
    struct measure_rows rows; /* text: the vector, "" if it is not known; name: what was entered; other: the function
                                 that handles it; measured: enum irqs_measured */
};

/* measure is set. false: error says why. The caller calls irqs_free in both cases. */
bool irqs_collect(struct irqs *irqs, struct calls_run *run, struct error *error);
void irqs_free(struct irqs *irqs);

#endif
