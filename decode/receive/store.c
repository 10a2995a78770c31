#include "decode/receive/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/index.h"
#include "decode/capture/record_stream.h"
#include "decode/receive/store_directory.h"
#include "decode/receive/store_file.h"
#include "decode/receive/store_meta.h"

struct store_cpu {
    struct store_file trace;
    struct record_stream records;
    struct record_text end, status;
    uint64_t dropped_from, dropped_end; /* bytes that the hypervisor said will not come */
};

struct store {
    char *directory_name;
    int directory;
    struct store_file events, index, checksums;
    struct store_cpu *cpus[STORE_MAX_CPUS];
    struct store_totals totals;
    struct record_text hello; /* for meta.json */
    struct error error;
};

static bool open_files(struct store *store)
{
    const struct store_file file = {
        .directory = store->directory, .directory_name = store->directory_name, .error = &store->error, .fd = -1};
    store->events = store->index = store->checksums = file;
    return store_file_open(&store->checksums, CHECKSUM_NAME) &&
           store_file_open_summed(&store->events, CHECKSUM_EVENTS, 0, &store->checksums) &&
           store_file_open_summed(&store->index, CHECKSUM_INDEX, 0, &store->checksums);
}

struct store *store_create(const char *directory, struct error *error)
{
    int fd = store_directory_open(directory, error);
    if (fd < 0)
        return NULL;
    struct store *store = calloc(1, sizeof(*store));
    if (!store) {
        error_set(error, ERROR_MEMORY, 0, "a capture");
        close(fd);
        return NULL;
    }
    store->directory = fd;
    store->events.fd = store->index.fd = store->checksums.fd = -1;
    store->directory_name = strdup(directory);
    if (!store->directory_name)
        error_set(&store->error, ERROR_MEMORY, 0, "a capture");
    else if (open_files(store))
        return store;
    *error = store->error;
    store_close(store);
    return NULL;
}

/* There are so many CPUs at least. */
static void know_cpus(struct store *store, uint64_t cpus)
{
    if (cpus > store->totals.nr_cpus && cpus <= STORE_MAX_CPUS) {
        store->totals.nr_cpus = (unsigned)cpus;
        store->totals.ended = false;
    }
}

static struct store_cpu *store_cpu(struct store *store, uint16_t cpu)
{
    if (cpu >= STORE_MAX_CPUS) {
        error_set(&store->error, ERROR_TOO_MANY_CPUS, cpu, "%s", store->directory_name);
        return NULL;
    }
    if (store->cpus[cpu])
        return store->cpus[cpu];
    struct store_cpu *new = calloc(1, sizeof(*new));
    if (!new) {
        error_set(&store->error, ERROR_MEMORY, 0, "CPU %u", cpu);
        return NULL;
    }
    record_stream_init(&new->records, cpu);
    store->cpus[cpu] = new;
    know_cpus(store, cpu + 1u);
    new->trace = (struct store_file){
        .directory = store->directory, .directory_name = store->directory_name, .error = &store->error};
    store_file_open_summed(&new->trace, CHECKSUM_TRACE, cpu, &store->checksums);
    return new;
}

/* What was overwritten before it could be sent is no loss of the wire: the hypervisor says so before what follows. */
static void expect_hole(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct record_gap gap;
    struct store_cpu *cpu = store->cpus[header->cpu];
    if (!cpu || header->length < sizeof(gap))
        return;
    memcpy(&gap, payload, sizeof(gap));
    if (gap.cause != RECORD_GAP_RING)
        return; /* no offsets are missing there, and the trace that RING stands before may still be on its way */
    cpu->dropped_from = gap.at;
    cpu->dropped_end = gap.at + gap.size;
}

static void copy_text(struct record_text *text, const uint8_t *payload, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return;
    memcpy(copy, payload, size);
    free((char *)(uintptr_t)text->bytes);
    *text = (struct record_text){copy, size};
}

static void write_meta_anew(struct store *store)
{
    struct record_text ends[STORE_MAX_CPUS] = {{NULL, 0}};
    for (unsigned i = 0; i < store->totals.nr_cpus; i++)
        if (store->cpus[i])
            ends[i] = store->cpus[i]->end;
    store_meta_write(&store->checksums, store->hello, ends, store->totals.ended ? store->totals.nr_cpus : 0);
}

static void take_hello(struct store *store, const uint8_t *payload, size_t size)
{
    uint64_t cpus;
    copy_text(&store->hello, payload, size);
    if (text_find_number(&cpus, store->hello, "nr_cpus"))
        know_cpus(store, cpus);
    store->totals.hello = true;
    write_meta_anew(store);
}

static void take_end(struct store *store, uint16_t cpu, const uint8_t *payload, size_t size)
{
    struct store_totals *totals = &store->totals;
    copy_text(&store->cpus[cpu]->end, payload, size);
    totals->cpus[cpu].ended = true;
    totals->ended = true;
    for (unsigned i = 0; i < totals->nr_cpus; i++)
        totals->ended = totals->ended && totals->cpus[i].ended;
    write_meta_anew(store);
}

static void count_record(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct store_totals *totals = &store->totals;
    totals->records++;
    totals->drains += header->kind == RECORD_DRAIN;
    totals->pages += header->kind == RECORD_PAGE;
    totals->gaps += header->kind == RECORD_GAP;
    if (header->kind == RECORD_HELLO)
        take_hello(store, payload, header->length);
    if (header->kind == RECORD_END)
        take_end(store, header->cpu, payload, header->length);
    if (header->kind == RECORD_STATUS)
        copy_text(&store->cpus[header->cpu]->status, payload, header->length);
}

static void fill_hole(struct store *store, uint16_t cpu, uint64_t offset);

/* The end tells how many trace bytes there should be: on a serial line the last ones may have been lost. */
static void check_end(struct store *store, const struct record_header *header, const uint8_t *payload)
{
    struct store_cpu *cpu = store->cpus[header->cpu];
    struct record_text text = {(const char *)payload, header->length};
    uint64_t written;
    if (cpu && text_find_number(&written, text, "trace_bytes"))
        fill_hole(store, header->cpu, written);
}

/* The way of every record into the capture. */
static void keep_record(void *context, const struct record_header *header, const uint8_t *bytes, size_t size)
{
    struct store *store = context;
    if (header->kind == RECORD_END)
        check_end(store, header, bytes + sizeof(*header));
    if (header->kind == RECORD_GAP)
        expect_hole(store, header, bytes + sizeof(*header));
    struct index_entry entry = {store_file_end(&store->events), *header};
    if (store_file_append(&store->events, bytes, size) && store_file_append(&store->index, &entry, sizeof(entry)))
        count_record(store, header, bytes + sizeof(*header));
}

/* Bytes were lost on the wire: say so in the place where the hypervisor says it of its own losses. */
static void keep_gap(struct store *store, uint16_t cpu, uint64_t at, uint64_t size)
{
    struct {
        struct record_header header;
        struct record_gap gap;
    } record = {
        .header = {.kind = RECORD_GAP, .cpu = cpu, .length = sizeof(record.gap), .trace_offset = at},
        .gap = {.at = at, .size = size, .cause = RECORD_GAP_WIRE},
    };
    _Static_assert(sizeof(record) == sizeof(record.header) + sizeof(record.gap), "no padding between");
    keep_record(store, &record.header, (const uint8_t *)&record, sizeof(record));
    store->totals.lost_trace_bytes += size;
}

/* Trace goes on at offset. A hole in the file reads as zeros, which are PAD packets: offsets keep their meaning. */
static void fill_hole(struct store *store, uint16_t cpu, uint64_t offset)
{
    struct store_cpu *to = store->cpus[cpu];
    uint64_t end = store_file_end(&to->trace);
    if (offset <= end)
        return;
    store_file_skip_to(&to->trace, offset);
    if (to->dropped_from > end || to->dropped_end < offset)
        keep_gap(store, cpu, end, offset - end);
}

bool store_trace(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store_cpu *to = store_cpu(store, cpu);
    if (!to)
        return false;
    uint64_t end = store_file_end(&to->trace);
    if (offset < end) {
        uint64_t known = end - offset;
        if (known >= size)
            return true;
        bytes += known;
        size -= (size_t)known;
        offset = end;
    }
    fill_hole(store, cpu, offset);
    store->totals.trace_bytes += size;
    store->totals.cpus[cpu].trace_bytes += size;
    return store_file_append(&to->trace, bytes, size);
}

bool store_records(struct store *store, uint16_t cpu, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct store_cpu *to = store_cpu(store, cpu);
    if (!to)
        return false;
    uint64_t lost = to->records.lost;
    store->totals.record_bytes += size;
    bool good = record_stream_take(&to->records, offset, bytes, size, keep_record, store);
    store->totals.lost_record_bytes += to->records.lost - lost;
    if (!good)
        error_set(&store->error, ERROR_MEMORY, 0, "records of CPU %u", cpu);
    return good && !store->events.failed;
}

bool store_flush(struct store *store)
{
    bool good = store->error.kind == ERROR_NONE;
    /* What names others behind them: it is there. But gaps before the holes that they are about. */
    good = store_file_flush(&store->events) && good;
    for (size_t i = 0; i < STORE_MAX_CPUS; i++)
        if (store->cpus[i])
            good = store_file_flush(&store->cpus[i]->trace) && good;
    good = store_file_flush(&store->index) && good;
    return store_file_flush(&store->checksums) && good;
}

struct record_text store_status(const struct store *store, unsigned cpu)
{
    static const struct record_text none = {NULL, 0};
    return cpu < STORE_MAX_CPUS && store->cpus[cpu] ? store->cpus[cpu]->status : none;
}

const struct store_totals *store_totals(const struct store *store)
{
    return &store->totals;
}

const struct error *store_error(const struct store *store)
{
    return &store->error;
}

bool store_close(struct store *store)
{
    bool good = store_flush(store);
    for (size_t i = 0; i < STORE_MAX_CPUS; i++) {
        if (!store->cpus[i])
            continue;
        store_file_close(&store->cpus[i]->trace);
        record_stream_free(&store->cpus[i]->records);
        free((char *)(uintptr_t)store->cpus[i]->end.bytes);
        free((char *)(uintptr_t)store->cpus[i]->status.bytes);
        free(store->cpus[i]);
    }
    store_file_close(&store->events);
    store_file_close(&store->index);
    store_file_close(&store->checksums);
    close(store->directory);
    free((char *)(uintptr_t)store->hello.bytes);
    free(store->directory_name);
    free(store);
    return good;
}
