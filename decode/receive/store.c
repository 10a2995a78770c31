#include "decode/receive/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/receive/store_directory.h"
#include "decode/receive/store_parts.h"

static struct store_file unopened_file(struct store *store)
{
    return (struct store_file){.waiter = &store->waiter,
                               .directory = store->directory,
                               .directory_name = store->directory_name,
                               .error = &store->error,
                               .fd = -1};
}

static bool open_files(struct store *store)
{
    return store_file_open(&store->checksums, CHECKSUM_NAME) &&
           store_file_open_summed(&store->events, CHECKSUM_EVENTS, 0, &store->checksums) &&
           store_file_open_summed(&store->index, CHECKSUM_INDEX, 0, &store->checksums);
}

struct store *store_in(int fd, const char *directory, struct error *error)
{
    struct store *store = calloc(1, sizeof(*store));
    char *name = strdup(directory);
    if (!store || !name) {
        error_set(error, ERROR_MEMORY, 0, "a capture");
        free(store);
        free(name);
        close(fd);
        return NULL;
    }
    store->directory = fd;
    store->directory_name = name;
    store->events = store->index = store->checksums = unopened_file(store);
    store->journal = (struct journal){.directory = fd, .fds = {-1, -1}};
    return store;
}

struct store *store_create(const char *directory, struct error *error)
{
    bool made;
    int fd = store_directory_make(directory, &made, error);
    struct store *store = fd < 0 ? NULL : store_in(fd, directory, error);
    if (!store)
        return NULL;
    store->made = made;
    if (!journal_create(&store->journal, fd))
        error_set(&store->error, ERROR_CANNOT_MAKE, 0, "%s/resume", directory);
    else if (open_files(store))
        return store;
    *error = store->error;
    store_discard(store);
    return NULL;
}

void store_on_full(struct store *store, bool (*wait)(void *context, int reason), void *context)
{
    store->waiter = (struct store_waiter){wait, context};
}

void store_know_cpus(struct store *store, uint64_t cpus)
{
    if (cpus > store->totals.nr_cpus && cpus <= STORE_MAX_CPUS) {
        store->totals.nr_cpus = (unsigned)cpus;
        store->totals.ended = false;
    }
}

struct store_cpu *store_cpu_add(struct store *store, uint16_t cpu)
{
    struct store_cpu *new = calloc(1, sizeof(*new));
    if (!new) {
        error_set(&store->error, ERROR_MEMORY, 0, "CPU %u", cpu);
        return NULL;
    }
    record_stream_init(&new->records, cpu);
    new->records.offset = store->first_record;
    store->cpus[cpu] = new;
    store_know_cpus(store, cpu + 1u);
    new->trace = unopened_file(store);
    return new;
}

struct store_cpu *store_cpu(struct store *store, uint16_t cpu)
{
    if (cpu >= STORE_MAX_CPUS) {
        error_set(&store->error, ERROR_TOO_MANY_CPUS, cpu, "%s", store->directory_name);
        return NULL;
    }
    if (store->cpus[cpu])
        return store->cpus[cpu];
    struct store_cpu *new = store_cpu_add(store, cpu);
    if (new)
        store_file_open_summed(&new->trace, CHECKSUM_TRACE, cpu, &store->checksums);
    return new;
}

void store_begin_at(struct store *store, uint64_t records)
{
    store->first_record = records;
}

bool store_flush(struct store *store)
{
    bool good = store->error.kind == ERROR_NONE;
    /* Write files before those that refer to them; and records first, so that gap records precede their holes. */
    good = store_file_flush(&store->events) && good;
    for (size_t i = 0; i < STORE_MAX_CPUS; i++)
        if (store->cpus[i])
            good = store_file_flush(&store->cpus[i]->trace) && good;
    good = store_file_flush(&store->index) && good;
    return store_file_flush(&store->checksums) && good;
}

uint64_t store_bytes(const struct store *store)
{
    return store->totals.trace_bytes + store_file_end(&store->events) + store_file_end(&store->index) +
           store_file_end(&store->checksums);
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

/* Everything that was received, without the directory. */
static void close_files(struct store *store)
{
    for (size_t i = 0; i < STORE_MAX_CPUS; i++) {
        if (!store->cpus[i])
            continue;
        store_file_close(&store->cpus[i]->trace);
        record_stream_free(&store->cpus[i]->records);
        holes_free(&store->cpus[i]->trace_holes);
        holes_free(&store->cpus[i]->record_holes);
        free((char *)(uintptr_t)store->cpus[i]->end.bytes);
        free((char *)(uintptr_t)store->cpus[i]->status.bytes);
        free(store->cpus[i]);
        store->cpus[i] = NULL;
    }
    store_file_close(&store->events);
    store_file_close(&store->index);
    store_file_close(&store->checksums);
    free((char *)(uintptr_t)store->hello.bytes);
    store->hello = (struct record_text){NULL, 0};
}

void store_abandon(struct store *store)
{
    close_files(store);
    journal_close(&store->journal);
    close(store->directory);
    free(store->directory_name);
    free(store->state);
    free(store);
}

void store_conclude(struct store *store)
{
    journal_remove(&store->journal);
}

bool store_close(struct store *store)
{
    bool good = store_flush(store);
    if (good && store->totals.ended)
        store_conclude(store);
    store_abandon(store);
    return good;
}

static void remove_files(const struct store *store)
{
    char name[CHECKSUM_FILE_NAME];
    for (unsigned kind = CHECKSUM_EVENTS; kind < CHECKSUM_NR_FILES; kind++)
        unlinkat(store->directory, checksum_file_name(name, (enum checksum_file)kind, 0), 0);
    for (unsigned i = 0; i < STORE_MAX_CPUS; i++)
        unlinkat(store->directory, checksum_file_name(name, CHECKSUM_TRACE, i), 0);
    unlinkat(store->directory, CHECKSUM_NAME, 0);
}

void store_discard(struct store *store)
{
    remove_files(store);
    journal_remove(&store->journal);
    if (store->made)
        rmdir(store->directory_name);
    store_abandon(store);
}

/* The commits first: what is in the journal must be in the files. */
bool store_restart(struct store *store)
{
    if (!journal_clear(&store->journal))
        return error_set(&store->error, ERROR_CANNOT_WRITE, 0, "%s/resume", store->directory_name);
    remove_files(store);
    close_files(store);
    store->totals = (struct store_totals){0};
    store->may_miss = 0;
    store->events = store->index = store->checksums = unopened_file(store);
    return open_files(store);
}
