#include "decode/query/ask.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/capture/capture_check.h"

/* The index that is there, or a new one. */
static bool find_index(struct ask *ask, bool no_index, const struct index_build_options *options, struct error *error)
{
    if (!no_index && index_read(&ask->index, ask->capture)) {
        ask->index_kept = true;
        return true;
    }
    for (unsigned cpu = 0; cpu < ask->capture->nr_cpus; cpu++)
        capture_check_trace(ask->capture, cpu, 0, UINT64_MAX);
    if (!index_build(&ask->index, ask->capture, options, error))
        return false;
    ask->index_built = true;
    if (no_index)
        return true;
    ask->index_kept = index_write(&ask->index, ask->capture);
    ask->index_errno = ask->index_kept ? 0 : errno;
    return true;
}

static bool open_traces(struct ask *ask, struct error *error)
{
    ask->traces = calloc(ask->capture->nr_cpus + 1, sizeof(*ask->traces));
    if (!ask->traces)
        return error_set(error, ERROR_MEMORY, 0, "%u CPUs", ask->capture->nr_cpus);
    for (unsigned cpu = 0; cpu < ask->capture->nr_cpus; cpu++) {
        struct flow_trace *trace = &ask->traces[cpu];
        if (ask->capture->cpus[cpu].present && !flow_trace_open_uncut(trace, ask->capture, (uint16_t)cpu, error))
            return false;
    }
    return true;
}

bool ask_open(struct ask *ask, struct capture *capture, bool no_index, const struct index_build_options *options,
              struct error *error)
{
    *ask = (struct ask){.capture = capture};
    text_find_number(&ask->tsc_khz, capture->hello, "tsc_khz");
    return find_index(ask, no_index, options, error) && open_traces(ask, error);
}

void ask_close(struct ask *ask)
{
    if (ask->names)
        names_close(ask->names);
    for (unsigned cpu = 0; ask->traces && cpu < ask->capture->nr_cpus; cpu++)
        flow_trace_close(&ask->traces[cpu]);
    free(ask->traces);
    index_close(&ask->index);
    if (ask->capture)
        capture_close(ask->capture);
    *ask = (struct ask){0};
}

double ask_seconds(const struct ask *ask, uint64_t tsc)
{
    if (ask->tsc_khz == 0 || tsc == 0)
        return -1;
    return (double)(tsc - ask->index.header->first_tsc) / (double)ask->tsc_khz / 1000;
}

const struct name *ask_name(const struct ask *ask, uint32_t stretch, uint64_t cr3, uint64_t address)
{
    const struct code_pages *pages = &ask->traces[index_chunk_of(&ask->index, stretch)->cpu].pages;
    return names_find(ask->names, pages, cr3, ask->index.stretches[stretch].end - 1, address);
}
