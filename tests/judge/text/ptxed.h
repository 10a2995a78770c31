/* A trace's instructions and events on standard output, in the format of libipt's ptxed with --no-inst. */
#ifndef JUDGE_TEXT_PTXED_H
#define JUDGE_TEXT_PTXED_H

#include "decode/flow/flow_trace.h"
#include "decode/foreign/foreign_image.h"
#include "tests/judge/text/ptxed_line.h"

/* image: in whose pieces the code is, where blocks are requested. Returns the exit status: 2 where parts could not be
 * decoded. */
int ptxed_print(const struct flow_trace *trace, const struct foreign_image *image, const struct ptxed_options *options);

#endif
