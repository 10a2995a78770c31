#include "decode/foreign/foreign_trace.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/psb.h"
#include "decode/foreign/foreign_spec.h"

/* perf.data, also the form that perf writes to a pipe. */
static bool is_perf(const struct foreign_file *file)
{
    const size_t size = sizeof("PERFILE2") - 1;
    return file->size >= size && !memcmp(file->bytes, "PERFILE2", size);
}

bool foreign_packets(struct foreign_file *packets, const char *pt, struct error *error)
{
    struct foreign_spec spec;
    uint64_t end = UINT64_MAX;
    foreign_spec_part(&spec, pt);
    char *name = foreign_spec_name(&spec, pt, error);
    bool good = name && foreign_file_read(packets, name, error);
    if (good && spec.offset == 0 && is_perf(packets))
        good = error_set(error, ERROR_PERF, 0, "%s: a perf.data file, not raw packets: decode --perf reads it", name);
    if (good) {
        end = spec.end == UINT64_MAX ? packets->size : spec.end;
        if (spec.offset > packets->size || end > packets->size)
            good = error_set(error, ERROR_IMAGE_SHORT, packets->size, "%s", name);
    }
    if (good && spec.offset + (packets->size - end) > 0) {
        packets->size = (size_t)(end - spec.offset);
        memmove(packets->bytes, packets->bytes + spec.offset, packets->size);
    }
    free(name);
    return good;
}

bool foreign_prepare(struct foreign *foreign, const char *name, struct error *error)
{
    struct flow_trace *trace = &foreign->trace;
    const struct foreign_file *packets = &foreign->packets;
    if (!foreign_image_pages(&foreign->image, &trace->pages, error))
        return false;
    trace->input.pages = &trace->pages;
    trace->input.guest_only = true;
    trace->input.trace = packets->bytes;
    trace->input.trace_size = packets->size;
    if (psb_next(packets->bytes, packets->size, 0) == PSB_NONE)
        return error_set(error, ERROR_NO_PSB, packets->size, "%s", name);
    return flow_trace_cut(trace) || error_set(error, ERROR_MEMORY, 0, "%s", name);
}

bool foreign_open(struct foreign *foreign, const char *pt, const struct flow_input *settings, struct error *error)
{
    foreign->trace.input = *settings;
    return foreign_packets(&foreign->packets, pt, error) && foreign_prepare(foreign, pt, error);
}

void foreign_close(struct foreign *foreign)
{
    flow_trace_close(&foreign->trace);
    foreign_image_free(&foreign->image);
    foreign_file_free(&foreign->packets);
}
