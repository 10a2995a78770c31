/* The output of `undertrace decode`, also for merged parts. */
#ifndef DECODE_CLI_TEXT_DECODE_TEXT_H
#define DECODE_CLI_TEXT_DECODE_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

/* Print the totals. */
void print_sums(FILE *file, const struct flow_run *run);

/* Print the totals of a CPU, and report what is missing. Returns the exit status. */
int print_decoded(FILE *file, const struct capture *capture, uint16_t cpu, const struct flow_run *run);

/* Report what is missing of a CPU; run NULL: it was not decoded. Returns the exit status. */
int say_decoded(const struct capture *capture, unsigned cpu, const struct flow_run *run);

#endif
