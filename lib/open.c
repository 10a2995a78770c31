/* Opening and closing traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/report/error_text.h"
#include "lib/handle.h"
#include "pt/rtit.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

HANDLE_PUBLIC const char *undertrace_version(void)
{
    return VERSION_TEXT(UNDERTRACE_VERSION_MAJOR, UNDERTRACE_VERSION_MINOR);
}

static int status_of(enum error_kind kind)
{
    switch (kind) {
    case ERROR_NONE:
        return UNDERTRACE_OK;
    case ERROR_MEMORY:
        return UNDERTRACE_ERROR_MEMORY;
    case ERROR_NO_TRACE:
        return UNDERTRACE_ERROR_NO_TRACE;
    case ERROR_MAP_RECORD:
    case ERROR_NO_PSB:
    case ERROR_NO_ELF:
    case ERROR_PERF:
        return UNDERTRACE_ERROR_FORMAT;
    case ERROR_IMAGE_SPEC:
    case ERROR_IMAGE_SHORT:
    case ERROR_IMAGE_ADDRESS:
    case ERROR_IMAGE_TWICE:
        return UNDERTRACE_ERROR_ARGUMENT;
    default:
        return UNDERTRACE_ERROR_OPEN;
    }
}

int handle_error(struct undertrace_error *to, const struct error *error)
{
    if (to) {
        to->status = status_of(error->kind);
        error_text(to->text, sizeof(to->text), error);
    }
    return status_of(error->kind);
}

int handle_refuse(struct undertrace_error *to, const char *why)
{
    if (to) {
        to->status = UNDERTRACE_ERROR_ARGUMENT;
        snprintf(to->text, sizeof(to->text), "%s", why);
    }
    return UNDERTRACE_ERROR_ARGUMENT;
}

/* Find the privilege level of the trace, if only one was traced. RECORD_STATUS answers a command, which may have
 * changed that during the trace. */
static uint8_t find_privilege(const struct undertrace *trace)
{
    for (size_t i = 0; i < trace->capture->nr_records; i++)
        if (trace->capture->records[i].header.kind == RECORD_STATUS)
            return UNDERTRACE_PRIVILEGE_UNKNOWN;
    switch (trace->rtit_ctl & (RTIT_CTL_OS | RTIT_CTL_USER)) {
    case RTIT_CTL_OS:
        return UNDERTRACE_PRIVILEGE_KERNEL;
    case RTIT_CTL_USER:
        return UNDERTRACE_PRIVILEGE_USER;
    default:
        return UNDERTRACE_PRIVILEGE_UNKNOWN;
    }
}

HANDLE_PUBLIC int undertrace_open(struct undertrace **to, const char *directory, struct undertrace_error *error)
{
    struct error why = {0};
    struct undertrace *trace = calloc(1, sizeof(*trace));
    *to = NULL;
    if (!trace)
        error_set(&why, ERROR_MEMORY, 0, "a capture");
    else
        trace->capture = capture_open(directory, &why);
    if (!trace || !trace->capture) {
        free(trace);
        return handle_error(error, &why);
    }
    pthread_mutex_init(&trace->lock, NULL);
    text_find_number(&trace->rtit_ctl, trace->capture->hello, "rtit_ctl");
    trace->privilege = find_privilege(trace);
    *to = trace;
    return UNDERTRACE_OK;
}

HANDLE_PUBLIC void undertrace_close(struct undertrace *trace)
{
    if (!trace)
        return;
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++) {
        if (trace->traces[cpu])
            flow_trace_close(trace->traces[cpu]);
        free(trace->traces[cpu]);
    }
    capture_close(trace->capture);
    if (trace->foreign)
        foreign_close(trace->foreign);
    free(trace->foreign);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

static struct flow_trace *open_trace(const struct capture *capture, unsigned cpu, struct error *error)
{
    struct flow_trace *trace = malloc(sizeof(*trace));
    if (!trace) {
        error_set(error, ERROR_MEMORY, 0, "a trace");
        return NULL;
    }
    if (flow_trace_open_uncut(trace, capture, (uint16_t)cpu, error))
        return trace;
    flow_trace_close(trace);
    free(trace);
    return NULL;
}

const struct flow_trace *handle_trace(struct undertrace *trace, unsigned cpu, struct error *error)
{
    if (trace->foreign && cpu > 0)
        error_set(error, ERROR_NO_TRACE, cpu, "CPU %u of a foreign trace", cpu);
    if (trace->foreign)
        return cpu == 0 ? &trace->foreign->trace : NULL;
    if (!capture_trace(trace->capture, cpu, error))
        return NULL;
    pthread_mutex_lock(&trace->lock);
    if (!trace->traces[cpu])
        trace->traces[cpu] = open_trace(trace->capture, cpu, error);
    pthread_mutex_unlock(&trace->lock);
    return trace->traces[cpu];
}

HANDLE_PUBLIC unsigned undertrace_nr_cpus(const struct undertrace *trace)
{
    return trace->foreign ? 1 : trace->capture->nr_cpus;
}

/* The bytes of the CPU's records that did not arrive. */
static uint64_t lost_of_capture(const struct capture *capture, unsigned cpu)
{
    const struct capture_record *record;
    uint64_t sum = 0;
    struct record_lost lost;
    for (size_t at = 0; (record = capture_next(capture, &at, RECORD_LOST, (uint16_t)cpu)); sum += lost.size)
        memcpy(&lost, record->payload, sizeof(lost));
    return sum;
}

static struct undertrace_cpu known_of_capture(const struct undertrace *trace, unsigned cpu)
{
    const struct capture *capture = trace->capture;
    uint64_t ebx = 0, eax = 0;
    text_find_number(&ebx, capture->hello, "cpuid_15_ebx");
    text_find_number(&eax, capture->hello, "cpuid_15_eax");
    return (struct undertrace_cpu){.trace_bytes = capture->cpus[cpu].size,
                                   .rtit_ctl = trace->rtit_ctl,
                                   .tsc_ratio = {(uint32_t)ebx, (uint32_t)eax},
                                   .ended = capture->ends[cpu].size > 0,
                                   .lost_record_bytes = lost_of_capture(capture, cpu)};
}

static struct undertrace_cpu known_of_foreign(const struct flow_input *input)
{
    return (struct undertrace_cpu){
        .trace_bytes = input->trace_size, .tsc_ratio = {input->cpuid_15_ebx, input->cpuid_15_eax}, .ended = 1};
}

HANDLE_PUBLIC int undertrace_cpu(const struct undertrace *trace, unsigned cpu, struct undertrace_cpu *about)
{
    if (cpu >= undertrace_nr_cpus(trace))
        return UNDERTRACE_ERROR_NO_TRACE;
    struct undertrace_cpu known =
        trace->foreign ? known_of_foreign(&trace->foreign->trace.input) : known_of_capture(trace, cpu);
    /* An older caller's structure is shorter, a newer one's longer. */
    const size_t size = about->size < sizeof(known) ? about->size : sizeof(known);
    if (size < sizeof(known.size))
        return UNDERTRACE_ERROR_ARGUMENT;
    known.size = size;
    memset(about, 0, about->size);
    memcpy(about, &known, size);
    return UNDERTRACE_OK;
}
