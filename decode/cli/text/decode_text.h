/* What `undertrace decode` prints and says, wherever it was decoded. */
#ifndef DECODE_CLI_TEXT_DECODE_TEXT_H
#define DECODE_CLI_TEXT_DECODE_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

/* The sums. */
void print_sums(FILE *file, const struct flow_run *run);

/* The sums of a CPU, and what is missing. Returns the exit status. */
int print_decoded(FILE *file, const struct capture *capture, uint16_t cpu, const struct flow_run *run);

/* Whether anything of a CPU is missing; NULL: it was not decoded. Returns the exit status. */
int say_decoded(const struct capture *capture, unsigned cpu, const struct flow_run *run);

#endif
