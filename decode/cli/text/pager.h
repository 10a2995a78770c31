/* Long lists on a terminal go through a pager: $PAGER, or less. */
#ifndef DECODE_CLI_TEXT_PAGER_H
#define DECODE_CLI_TEXT_PAGER_H

#include <stdbool.h>

/* For undertrace --no-pager: start no pager. */
void pager_forbid(void);

/* Send standard output to a pager from now on, if it is a terminal and a pager can be started. */
void pager_start(void);

/* Is a pager running? Then standard error must not be used for progress. */
bool pager_runs(void);

/* Call after all output: waits until the user quits the pager. */
void pager_end(void);

#endif
