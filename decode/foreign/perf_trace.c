#include "decode/foreign/perf_trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/psb.h"
#include "decode/foreign/perf_file.h"

#define INTEL_PT 1u
#define PROT_EXECUTE 4u
#define GAP_BYTES 16u /* of zeros, where parts of a buffer do not follow each other */

/* What stands in AUXTRACE_INFO behind its type, by the driver's order. */
enum { INFO_PMU_TYPE, INFO_NO_RETCOMP = 6, INFO_MTC_FREQ = 11, INFO_TSC_CTC_N, INFO_TSC_CTC_D };
#define INFO(i) (8u + 8u * (i))

/* Offsets within a record. */
enum { MMAP_ADDRESS = 8, MMAP_SIZE = 16, MMAP_OFFSET = 24, MMAP_NAME = 32, MMAP2_PROT = 56, MMAP2_NAME = 64 };
enum { AUX_OFFSET = 8, AUX_INDEX = 24 };

static void take_info(struct flow_input *input, const struct perf_record *record, const struct perf_file *perf)
{
    uint64_t config = 0;
    const uint64_t freq = perf_64(record, INFO(INFO_MTC_FREQ));
    perf_file_config(&config, perf, (uint32_t)perf_64(record, INFO(INFO_PMU_TYPE)));
    input->returns_whole = (config & perf_64(record, INFO(INFO_NO_RETCOMP))) != 0;
    if (freq)
        input->mtc_freq = (uint8_t)((config & freq) >> __builtin_ctzll(freq));
    input->cpuid_15_ebx = perf_32(record, INFO(INFO_TSC_CTC_N));
    input->cpuid_15_eax = perf_32(record, INFO(INFO_TSC_CTC_D));
}

/* "GenuineIntel,6,158,10,..." */
static void take_cpuid(struct flow_input *input, const struct perf_file *perf)
{
    char text[64] = "";
    char *at = text;
    if (!perf->cpuid || input->cpu_known)
        return;
    memcpy(text, perf->cpuid, perf->cpuid_size < sizeof(text) - 1 ? perf->cpuid_size : sizeof(text) - 1);
    if (strncmp(text, "GenuineIntel,", 13))
        return;
    input->family = (uint16_t)strtoul(at + 13, &at, 10);
    input->model = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->stepping = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->cpu_known = true;
}

/* Code of the process; false: no memory. Files that are not there any more, [vdso] and the like are counted. */
static bool take_mapping(struct foreign *foreign, const struct perf_record *record, struct perf_choice *choice,
                         struct error *error)
{
    const bool second = record->type == PERF_MMAP2;
    const size_t at = second ? MMAP2_NAME : MMAP_NAME;
    if ((record->misc & PERF_MISC_CPUMODE) != PERF_MISC_USER || perf_32(record, 0) != choice->pid ||
        (second && !(perf_32(record, MMAP2_PROT) & PROT_EXECUTE)) || record->size <= at)
        return true;
    char *name = strndup((const char *)record->bytes + at, record->size - at);
    if (!name)
        return error_set(error, ERROR_MEMORY, 0, "a mapping");
    struct foreign_piece piece = {.gva = perf_64(record, MMAP_ADDRESS),
                                  .size = perf_64(record, MMAP_SIZE),
                                  .offset = perf_64(record, MMAP_OFFSET)};
    bool good = true;
    if (name[0] != '/' || access(name, R_OK) != 0) {
        choice->nr_missing++;
    } else {
        good = foreign_image_add_file(&foreign->image, name, error);
        const uint64_t size = good ? foreign->image.files[foreign->image.nr_files - 1].size : 0;
        if (good && piece.offset < size) {
            piece.size = piece.size < size - piece.offset ? piece.size : size - piece.offset;
            good = foreign_image_add_piece(&foreign->image, piece, name, error);
        }
    }
    free(name);
    return good;
}

static bool add_gap(struct flow_trace *trace, uint64_t at)
{
    struct record_gap *items = realloc(trace->gaps.items, (trace->gaps.count + 1) * sizeof(*items));
    if (!items)
        return false;
    trace->gaps.items = items;
    items[trace->gaps.count++] = (struct record_gap){.at = at, .size = GAP_BYTES};
    return true;
}

/* A part of the buffer; next: where in the buffer it would go on. */
static bool take_part(struct foreign *foreign, const struct perf_record *record, uint64_t *next)
{
    struct foreign_file *packets = &foreign->packets;
    const bool gap = packets->size > 0 && perf_64(record, AUX_OFFSET) != *next;
    uint8_t *bytes = realloc(packets->bytes, packets->size + GAP_BYTES + (size_t)record->data_size);
    if (!bytes)
        return false;
    packets->bytes = bytes;
    if (gap && !add_gap(&foreign->trace, packets->size))
        return false;
    if (gap) {
        memset(bytes + packets->size, 0, GAP_BYTES);
        packets->size += GAP_BYTES;
    }
    memcpy(bytes + packets->size, record->data, (size_t)record->data_size);
    packets->size += (size_t)record->data_size;
    *next = perf_64(record, AUX_OFFSET) + record->data_size;
    return true;
}

/* What there is, and what is to be taken of it. */
static bool choose(struct perf_choice *choice, struct perf_file perf, const char *name, struct error *error)
{
    struct perf_record record;
    uint64_t lowest = PERF_ANY, highest = 0;
    while (perf_file_next(&record, &perf, name, error)) {
        if (record.type == PERF_ITRACE_START && choice->pid == PERF_ANY)
            choice->pid = perf_32(&record, 0);
        if (record.type != PERF_AUXTRACE)
            continue;
        const uint64_t index = perf_32(&record, AUX_INDEX);
        lowest = index < lowest ? index : lowest;
        highest = index > highest ? index : highest;
    }
    if (error->kind)
        return false;
    if (lowest == PERF_ANY)
        return error_set(error, ERROR_PERF, 0, "%s: no trace in it", name);
    choice->nr_buffers = highest - lowest + 1;
    choice->buffer = choice->buffer == PERF_ANY ? lowest : choice->buffer;
    return true;
}

static bool take_records(struct foreign *foreign, struct perf_file perf, const char *name, struct perf_choice *choice,
                         struct error *error)
{
    struct perf_record record;
    uint64_t next = 0;
    bool good = true;
    while (good && perf_file_next(&record, &perf, name, error)) {
        if (record.type == PERF_AUXTRACE_INFO && perf_32(&record, 0) != INTEL_PT)
            return error_set(error, ERROR_PERF, 0, "%s: its trace is not Intel PT's", name);
        if (record.type == PERF_AUXTRACE_INFO)
            take_info(&foreign->trace.input, &record, &perf);
        if (record.type == PERF_MMAP || record.type == PERF_MMAP2)
            good = take_mapping(foreign, &record, choice, error);
        if (record.type == PERF_AUXTRACE && perf_32(&record, AUX_INDEX) == choice->buffer)
            good = take_part(foreign, &record, &next) || error_set(error, ERROR_MEMORY, 0, "%s", name);
    }
    return error->kind == ERROR_NONE;
}

bool perf_open(struct foreign *foreign, const char *name, struct perf_choice *choice, const struct flow_input *settings,
               struct error *error)
{
    struct foreign_file file;
    struct perf_file perf;
    foreign->trace.input = *settings;
    foreign->image.later_wins = true;
    if (!foreign_file_read(&file, name, error))
        return false;
    const bool good = perf_file_open(&perf, &file, name, error) && choose(choice, perf, name, error) &&
                      take_records(foreign, perf, name, choice, error);
    if (good)
        take_cpuid(&foreign->trace.input, &perf);
    foreign_file_free(&file);
    return good && foreign_prepare(foreign, name, error);
}
