#include "decode/cli/text/work_bar.h"

#include <stdio.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/text/pager.h"

#define QUIET_SECONDS 1.0
#define COLUMNS 30

void work_bar_start(struct work_bar *bar, const char *what)
{
    *bar = (struct work_bar){.what = what, .started = monotonic_seconds()};
}

bool work_bar_wanted(void)
{
    return isatty(STDERR_FILENO) && !pager_runs();
}

void work_bar_show(void *context, double done)
{
    struct work_bar *bar = context;
    const double seconds = monotonic_seconds() - bar->started;
    if (done >= 1) {
        if (bar->shown)
            fputs("\r\033[K", stderr);
        bar->shown = false;
        return;
    }
    if (seconds < QUIET_SECONDS || done <= 0)
        return;
    const int full = (int)(done * COLUMNS);
    fprintf(stderr, "\r\033[K%s [%.*s%*s] %.0f %%, %.0f s left", bar->what, full, "##############################",
            COLUMNS - full, "", 100 * done, seconds / done - seconds);
    fflush(stderr);
    bar->shown = true;
}
