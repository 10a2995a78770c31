/* The report of a window of time: where branches and time went in it. */
#ifndef DECODE_CLI_TEXT_REPORT_WINDOW_H
#define DECODE_CLI_TEXT_REPORT_WINDOW_H

#include "decode/cli/text/report_text.h"

/* Of options->time. Returns the exit status. */
int report_window(struct report_options *options);

#endif
