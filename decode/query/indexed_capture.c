#include "decode/query/indexed_capture.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/capture/capture_check.h"

/* The index that is there, or a new one. */
static bool find_index(struct indexed_capture *indexed, bool no_index, const struct index_build_options *options,
                       struct error *error)
{
    if (!no_index && index_read(&indexed->index, indexed->capture)) {
        indexed->index_kept = true;
        return true;
    }
    for (unsigned cpu = 0; cpu < indexed->capture->nr_cpus; cpu++)
        capture_check_trace(indexed->capture, cpu, 0, UINT64_MAX);
    if (!index_build(&indexed->index, indexed->capture, options, error))
        return false;
    indexed->index_built = true;
    if (no_index)
        return true;
    indexed->index_kept = index_write(&indexed->index, indexed->capture);
    indexed->index_errno = indexed->index_kept ? 0 : errno;
    return true;
}

static bool open_traces(struct indexed_capture *indexed, struct error *error)
{
    indexed->traces = calloc(indexed->capture->nr_cpus + 1, sizeof(*indexed->traces));
    if (!indexed->traces)
        return error_set(error, ERROR_MEMORY, 0, "%u CPUs", indexed->capture->nr_cpus);
    for (unsigned cpu = 0; cpu < indexed->capture->nr_cpus; cpu++) {
        struct flow_trace *trace = &indexed->traces[cpu];
        if (indexed->capture->cpus[cpu].present &&
            !flow_trace_open_uncut(trace, indexed->capture, (uint16_t)cpu, error))
            return false;
    }
    return true;
}

bool indexed_capture_open(struct indexed_capture *indexed, struct capture *capture, bool no_index,
                          const struct index_build_options *options, struct error *error)
{
    *indexed = (struct indexed_capture){.capture = capture};
    text_find_number(&indexed->tsc_khz, capture->hello, "tsc_khz");
    return find_index(indexed, no_index, options, error) && open_traces(indexed, error);
}

void indexed_capture_close(struct indexed_capture *indexed)
{
    if (indexed->names)
        names_close(indexed->names);
    for (unsigned cpu = 0; indexed->traces && cpu < indexed->capture->nr_cpus; cpu++)
        flow_trace_close(&indexed->traces[cpu]);
    free(indexed->traces);
    index_close(&indexed->index);
    if (indexed->capture)
        capture_close(indexed->capture);
    *indexed = (struct indexed_capture){0};
}

double indexed_capture_seconds(const struct indexed_capture *indexed, uint64_t tsc)
{
    if (indexed->tsc_khz == 0 || tsc == 0)
        return -1;
    return (double)(tsc - indexed->index.header->first_tsc) / (double)indexed->tsc_khz / 1000;
}

const struct name *indexed_capture_name(const struct indexed_capture *indexed, uint32_t stretch, uint64_t cr3,
                                        uint64_t address)
{
    const struct code_pages *pages = &indexed->traces[index_chunk_of(&indexed->index, stretch)->cpu].pages;
    return names_find(indexed->names, pages, cr3, indexed->index.stretches[stretch].end - 1, address);
}
