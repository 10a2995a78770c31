#include "decode/cli/options/measure_options.h"

bool measure_begin(struct measure *measure, struct calls_run *run, const char *command, struct measure_options *options)
{
    const bool good = export_begin(run, command, &options->common);
    *measure = (struct measure){.run = run, .from = run->window.from, .to = run->window.to};
    return good;
}
