/* Long lists on a terminal go through a pager: $PAGER, or less. */
#ifndef DECODE_CLI_TEXT_PAGER_H
#define DECODE_CLI_TEXT_PAGER_H

#include <stdbool.h>

/* undertrace --no-pager COMMAND: none is started. */
void pager_forbid(void);

/* From here on standard output goes into a pager, if it is a terminal. Where that cannot be, it stays as it is. */
void pager_start(void);

/* Does one run? Then standard error must be left alone. */
bool pager_runs(void);

/* When all is written: wait until people have read it. */
void pager_end(void);

#endif
