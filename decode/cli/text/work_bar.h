/* A progress bar on a terminal: shown after one second, with the estimated remaining time. */
#ifndef DECODE_CLI_TEXT_WORK_BAR_H
#define DECODE_CLI_TEXT_WORK_BAR_H

#include <stdbool.h>

struct work_bar {
    const char *what; /* "indexing" */
    double started;
    bool shown;
};

void work_bar_start(struct work_bar *bar, const char *what);

/* A flow_progress. Use NULL instead if standard error is not a terminal: work_bar_wanted. */
void work_bar_show(void *bar, double done);
bool work_bar_wanted(void);

#endif
