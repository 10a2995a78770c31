/* A store that continues where an earlier process has ended: the files are cut at the last commit, and all that the
 * store must know about the records is read from them. */
#include "decode/receive/store_resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/index.h"
#include "decode/receive/store_directory.h"
#include "decode/receive/store_parts.h"
#include "decode/receive/store_state.h"

#define INDEX_ENTRIES 2048u /* read at a time */

/* The journal's state, which the file's end bounds. */
struct state_bytes {
    const uint8_t *at;
    size_t left;
};

static bool cannot_resume(struct store *store, const char *why)
{
    return error_set(&store->error, ERROR_NO_RESUME, 0, "%s: %s", store->directory_name, why);
}

static bool take_bytes(struct state_bytes *from, void *to, size_t size)
{
    if (from->left < size)
        return false;
    memcpy(to, from->at, size);
    from->at += size;
    from->left -= size;
    return true;
}

static bool reopen_cpu(struct store *store, struct state_bytes *from)
{
    struct store_cpu_state state;
    if (!take_bytes(from, &state, sizeof(state)) || state.cpu >= STORE_MAX_CPUS || store->cpus[state.cpu] ||
        from->left < store_cpu_state_bytes(state.used) - sizeof(state))
        return cannot_resume(store, "its state is damaged");
    struct store_cpu *cpu = store_cpu_add(store, state.cpu);
    if (!cpu)
        return false;
    cpu->records.offset = state.records_offset;
    cpu->records.lost = state.records_lost;
    cpu->records.lost_track = state.lost_track;
    store->totals.cpus[state.cpu].trace_bytes = state.trace_bytes;
    store->totals.trace_bytes += state.trace_bytes;
    if (!record_stream_refill(&cpu->records, from->at, state.used))
        return error_set(&store->error, ERROR_MEMORY, 0, "CPU %u", state.cpu);
    from->at += store_cpu_state_bytes(state.used) - sizeof(state);
    from->left -= store_cpu_state_bytes(state.used) - sizeof(state);
    return store_file_reopen_summed(&cpu->trace, CHECKSUM_TRACE, state.cpu, &store->checksums, state.trace_end,
                                    state.trace_summed);
}

static bool reopen_files(struct store *store, const struct store_state *state, struct state_bytes *from)
{
    bool good = store_file_reopen(&store->checksums, CHECKSUM_NAME, state->checksums_end) &&
                store_file_reopen_summed(&store->events, CHECKSUM_EVENTS, 0, &store->checksums, state->events_end,
                                         state->events_summed) &&
                store_file_reopen_summed(&store->index, CHECKSUM_INDEX, 0, &store->checksums, state->index_end,
                                         state->index_summed);
    for (uint32_t i = 0; i < state->nr_cpus && good; i++)
        good = reopen_cpu(store, from);
    return good;
}

static void set_totals(struct store *store, const struct store_state *state)
{
    struct store_totals *totals = &store->totals;
    totals->record_bytes = state->record_bytes;
    totals->lost_trace_bytes = state->lost_trace_bytes;
    totals->lost_record_bytes = state->lost_record_bytes;
    totals->misplaced = state->misplaced;
    totals->first_misplaced = state->first_misplaced;
    store->may_miss = state->may_miss;
}

/* Some kinds of records change what the store does. */
static bool has_effect(enum record_kind kind)
{
    return kind == RECORD_HELLO || kind == RECORD_END || kind == RECORD_STATUS || kind == RECORD_GAP ||
           kind == RECORD_LOST;
}

static bool recall_record(struct store *store, const struct index_entry *entry)
{
    static uint8_t bytes[RECORD_STREAM_MAX];
    const struct record_header *header = &entry->header;
    const size_t size = record_size_bytes(header);
    if (header->cpu >= STORE_MAX_CPUS || !store->cpus[header->cpu] || size > sizeof(bytes))
        return cannot_resume(store, "its index is damaged");
    if (has_effect((enum record_kind)header->kind) &&
        pread(store->events.fd, bytes, size, (off_t)entry->events_offset) != (ssize_t)size)
        return cannot_resume(store, "its events.bin cannot be read");
    store_recall_record(store, header, bytes + sizeof(*header));
    return true;
}

/* Read the index, from its start to its end. */
static bool recall_records(struct store *store)
{
    static struct index_entry entries[INDEX_ENTRIES];
    const uint64_t end = store_file_end(&store->index);
    for (uint64_t at = 0; at < end;) {
        const uint64_t left = end - at;
        const size_t part = left < sizeof(entries) ? (size_t)left : sizeof(entries);
        if (pread(store->index.fd, entries, part, (off_t)at) != (ssize_t)part)
            return cannot_resume(store, "its index cannot be read");
        for (size_t i = 0; i < part / sizeof(entries[0]); i++)
            if (!recall_record(store, &entries[i]))
                return false;
        at += part;
    }
    for (unsigned i = 0; i < STORE_MAX_CPUS; i++)
        if (store->cpus[i])
            holes_forget(&store->cpus[i]->trace_holes, store_file_end(&store->cpus[i]->trace));
    return true;
}

/* A CPU's file that was made after the last commit, and meta.json, whose checksum may be cut off. */
static void renew_other_files(struct store *store)
{
    char name[CHECKSUM_FILE_NAME];
    for (unsigned i = 0; i < STORE_MAX_CPUS; i++)
        if (!store->cpus[i])
            unlinkat(store->directory, checksum_file_name(name, CHECKSUM_TRACE, i), 0);
    if (store->totals.hello)
        store_rewrite_meta(store);
    else
        unlinkat(store->directory, checksum_file_name(name, CHECKSUM_META, 0), 0);
}

static bool resume_from(struct store *store, struct resume_point *point, const uint8_t *bytes, size_t size)
{
    struct state_bytes from = {bytes, size};
    struct store_state state;
    const size_t header = sizeof(state.header);
    if (!take_bytes(&from, (uint8_t *)&state + header, sizeof(state) - header))
        return cannot_resume(store, "its state is damaged");
    if (state.version != STORE_STATE_VERSION)
        return cannot_resume(store, "another version of this program has received it");
    set_totals(store, &state);
    if (!reopen_files(store, &state, &from) || !recall_records(store))
        return false;
    renew_other_files(store);
    *point = state.point;
    return store->error.kind == ERROR_NONE;
}

bool store_is_unfinished(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool unfinished = fd >= 0 && journal_exists(fd);
    if (fd >= 0)
        close(fd);
    return unfinished;
}

struct store *store_resume(const char *directory, struct resume_point *point, struct error *error)
{
    size_t size;
    bool is_empty;
    *point = (struct resume_point){.started = false};
    int fd = store_directory_open(directory, error);
    struct store *store = fd < 0 ? NULL : store_in(fd, directory, error);
    if (!store)
        return NULL;
    if (!journal_open(&store->journal, store->directory))
        error_set(&store->error, ERROR_CANNOT_OPEN, 0, "%s/resume", directory);
    uint8_t *bytes = store->error.kind ? NULL : journal_read(&store->journal, &size, &is_empty);
    if (bytes)
        resume_from(store, point, bytes, size);
    else if (!store->error.kind && is_empty)
        store_restart(store); /* nothing was acknowledged */
    else if (!store->error.kind)
        cannot_resume(store, "its state is damaged");
    free(bytes);
    if (store->error.kind == ERROR_NONE)
        return store;
    *error = store->error;
    store_abandon(store);
    return NULL;
}
