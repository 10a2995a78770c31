/* A trace's instructions and events on standard output, in the dialect of libipt's ptxed. */
#ifndef DECODE_CLI_TEXT_PTXED_H
#define DECODE_CLI_TEXT_PTXED_H

#include "decode/capture/capture.h"
#include "decode/flow/flow_trace.h"
#include "decode/foreign/foreign_image.h"
#include "decode/report/ptxed_line.h"

/* Returns the exit status: 2 where parts could not be decoded. */
int ptxed_print_capture(const struct capture *capture, uint16_t cpu, const struct ptxed_options *options);

/* The same; image: in whose pieces the code is, where blocks are asked for. NULL: none. */
int ptxed_print(const struct flow_trace *trace, const struct foreign_image *image, const struct ptxed_options *options);

#endif
