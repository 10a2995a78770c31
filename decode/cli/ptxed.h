/* A trace's instructions and events on standard output, in the dialect of libipt's ptxed. */
#ifndef DECODE_CLI_PTXED_H
#define DECODE_CLI_PTXED_H

#include "decode/capture/capture.h"
#include "decode/flow/flow_trace.h"
#include "decode/report/ptxed_line.h"

/* Returns the exit status: 2 where parts could not be decoded. */
int ptxed_print_capture(const struct capture *capture, uint16_t cpu, const struct ptxed_options *options);
int ptxed_print(const struct flow_trace *trace, const struct ptxed_options *options);

#endif
