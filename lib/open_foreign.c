/* Opening foreign traces: raw packets and perf.data, with the code in other files. */
#include <stdlib.h>
#include <string.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_trace.h"
#include "lib/handle.h"

#define MOST_STEPPING 15u
#define MOST_MTC_FREQ 15u
#define RANGES (sizeof(((struct undertrace_foreign *)0)->ranges) / sizeof(struct undertrace_range))

/* An older caller's structure is shorter. A newer one's is longer, and its unknown members must be 0. */
static bool copy_about(struct undertrace_foreign *copy, const struct undertrace_foreign *about)
{
    const unsigned char *bytes = (const unsigned char *)about;
    *copy = (struct undertrace_foreign){0};
    if (!about)
        return true;
    for (size_t i = sizeof(*copy); i < about->size; i++)
        if (bytes[i])
            return false;
    memcpy(copy, about, about->size < sizeof(*copy) ? about->size : sizeof(*copy));
    return true;
}

/* Check the ranges of the members. Returns the reason for an error; NULL: valid. */
static const char *why_not(const struct undertrace_foreign *about)
{
    if (about->family > UINT16_MAX || about->model > UINT8_MAX || about->stepping > MOST_STEPPING)
        return "no CPU has this family, model and stepping";
    if (about->mtc_freq > MOST_MTC_FREQ)
        return "mtc_freq must be 0 to 15";
    if (about->nominal_ratio > UINT8_MAX)
        return "nominal_ratio must be 0 to 255";
    for (size_t i = 0; i < RANGES; i++) {
        if (about->ranges[i].kind > UNDERTRACE_RANGE_STOP)
            return "a range's kind is not in enum undertrace_range_kind";
        if (about->ranges[i].kind && about->ranges[i].first > about->ranges[i].last)
            return "a range ends before it begins";
    }
    return NULL;
}

static struct flow_input settings_of(const struct undertrace_foreign *about)
{
    struct flow_input settings = {.cpu_known = about->family != 0,
                                  .family = (uint16_t)about->family,
                                  .model = (uint8_t)about->model,
                                  .stepping = (uint8_t)about->stepping,
                                  .mtc_freq = (uint8_t)about->mtc_freq,
                                  .nominal_ratio = (uint8_t)about->nominal_ratio,
                                  .cpuid_15_ebx = about->tsc_ratio[0],
                                  .cpuid_15_eax = about->tsc_ratio[1]};
    for (size_t i = 0; i < RANGES; i++) {
        settings.range_kinds |= about->ranges[i].kind << 4 * i;
        settings.ranges[2 * i] = about->ranges[i].first;
        settings.ranges[2 * i + 1] = about->ranges[i].last;
    }
    return settings;
}

static bool add_images(struct foreign_image *image, const struct undertrace_foreign *about, struct error *error)
{
    bool good = true;
    for (const char *const *word = about->images; word && *word && good; word++)
        good = foreign_image_add(image, *word, error);
    for (const char *const *word = about->elf_files; word && *word && good; word++)
        good = foreign_elf_add(image, *word, error);
    return good;
}

static bool open_trace(struct foreign *foreign, const char *file, bool perf, const struct undertrace_foreign *about,
                       struct error *error)
{
    const struct flow_input settings = settings_of(about);
    struct perf_choice choice = {.pid = about->pid ? about->pid : PERF_ANY,
                                 .buffer = about->buffer ? about->buffer - 1 : PERF_ANY,
                                 .root = about->root};
    if (!add_images(&foreign->image, about, error))
        return false;
    return perf ? perf_open(foreign, file, &choice, &settings, error) : foreign_open(foreign, file, &settings, error);
}

static int open_foreign(struct undertrace **to, const char *file, bool perf, const struct undertrace_foreign *about,
                        struct undertrace_error *error)
{
    struct error why = {0};
    struct undertrace_foreign copy;
    *to = NULL;
    if (about && about->size < sizeof(about->size))
        return handle_refuse(error, "the size of undertrace_foreign is not set");
    if (!copy_about(&copy, about))
        return handle_refuse(error, "this version of the library cannot do it");
    if (why_not(&copy))
        return handle_refuse(error, why_not(&copy));
    struct undertrace *trace = calloc(1, sizeof(*trace));
    struct foreign *foreign = trace ? calloc(1, sizeof(*foreign)) : NULL;
    if (!foreign) {
        free(trace);
        error_set(&why, ERROR_MEMORY, 0, "%s", file);
        return handle_error(error, &why);
    }
    pthread_mutex_init(&trace->lock, NULL);
    trace->foreign = foreign;
    if (!open_trace(foreign, file, perf, &copy, &why)) {
        undertrace_close(trace);
        return handle_error(error, &why);
    }
    *to = trace;
    return UNDERTRACE_OK;
}

HANDLE_PUBLIC int undertrace_open_pt(struct undertrace **trace, const char *file,
                                     const struct undertrace_foreign *about, struct undertrace_error *error)
{
    return open_foreign(trace, file, false, about, error);
}

HANDLE_PUBLIC int undertrace_open_perf(struct undertrace **trace, const char *file,
                                       const struct undertrace_foreign *about, struct undertrace_error *error)
{
    return open_foreign(trace, file, true, about, error);
}
