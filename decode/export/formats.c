#include "decode/export/formats.h"

#include "decode/report/number_text.h"

const struct export_format *const export_formats[] = {
    &format_chrome, &format_perfetto, &format_speedscope, &format_folded, &format_callgrind,
    &format_lcov,   &format_drcov,    &format_bolt,       &format_perf,   NULL,
};

static void note_slices(const struct slices *slices, const struct export_job *job)
{
    char number[COUNTED_TEXT_SIZE];
    const struct calls_clock *clock = &job->run->clock;
    job->note("%s", counted_text(number, slices->count, "call", "calls"));
    if (slices->merged)
        job->note("%s shorter than %.3f us merged into their callers; select less time with --time, or keep "
                  "more calls with --most",
                  counted_text(number, slices->merged, "call", "calls"),
                  (double)calls_nanoseconds(clock, clock->zero + slices->least) / 1000);
}

static bool write_slices(FILE *file, const struct export_format *format, const struct export_job *job,
                         struct error *error)
{
    struct slices slices;
    struct profile totals = {0};
    struct export_job own = *job;
    own.totals = format->has_totals ? &totals : NULL;
    slices_init(&slices, job->run->names, job->most, job->shortest, format->track_per_cpu);
    const bool good = (!format->has_totals || profile_init(&totals, job->run->names) ||
                       error_set(error, ERROR_MEMORY, 0, "the call tree")) &&
                      slices_collect(job->run, &slices, format->has_totals ? &totals : NULL, error) &&
                      format->write_slices(file, &slices, &own, error);
    if (good)
        note_slices(&slices, job);
    slices_free(&slices);
    profile_free(&totals);
    return good;
}

static bool write_profile(FILE *file, const struct export_format *format, const struct export_job *job,
                          struct error *error)
{
    struct profile profile;
    bool good = profile_init(&profile, job->run->names) || error_set(error, ERROR_MEMORY, 0, "the call tree");
    good = good && profile_collect(job->run, &profile, error) && format->write_profile(file, &profile, job, error);
    profile_free(&profile);
    return good;
}

static bool write_edges(FILE *file, const struct export_format *format, const struct export_job *job,
                        struct error *error)
{
    struct edges edges;
    const bool good = edges_collect(&edges, job->run, error) && format->write_edges(file, &edges, job, error);
    edges_free(&edges);
    return good;
}

bool export_write(FILE *file, const struct export_format *format, const struct export_job *job, struct error *error)
{
    if (format->write_slices)
        return write_slices(file, format, job, error);
    if (format->write_profile)
        return write_profile(file, format, job, error);
    if (format->write_edges)
        return write_edges(file, format, job, error);
    return format->write_directory(job, error);
}
