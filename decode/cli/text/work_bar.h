/* How far a piece of work is, on a terminal: shown from the first second on, with how long it will take. */
#ifndef DECODE_CLI_TEXT_WORK_BAR_H
#define DECODE_CLI_TEXT_WORK_BAR_H

#include <stdbool.h>

struct work_bar {
    const char *what; /* "indexing" */
    double started;
    bool shown;
};

void work_bar_start(struct work_bar *bar, const char *what);

/* A flow_progress; NULL is what to take where standard error is no terminal: work_bar_wanted. */
void work_bar_show(void *bar, double done);
bool work_bar_wanted(void);

#endif
