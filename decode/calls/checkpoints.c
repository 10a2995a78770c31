#include "decode/calls/checkpoints.h"

#include <stdlib.h>

#include "decode/calls/times_save.h"

/* Held events cost most of the bytes, and are few after each timing packet: the longer a checkpoint is overdue, the
 * more of them are accepted. */
#define HELD 64u
#define BYTES_A_HELD 64u

/* Lists of the run's CPUs, as the rooms below need them. */
struct lists {
    struct stacks *stacks[CAPTURE_MAX_CPUS];
    const struct code_pages *of[CAPTURE_MAX_CPUS];
    struct names_pages pages;
    struct stacks_set set;
};

static void make_lists(struct lists *lists, const struct checkpoints *checkpoints, const struct stacks_run_state *state)
{
    for (unsigned i = 0; i < state->nr_cpus; i++) {
        lists->stacks[i] = state->cpus[i].stacks;
        lists->of[i] = state->cpus[i].pages;
    }
    lists->pages = (struct names_pages){lists->of, state->nr_cpus};
    lists->set = (struct stacks_set){.of = lists->stacks,
                                     .count = state->nr_cpus,
                                     .names = checkpoints->names,
                                     .pages = &lists->pages,
                                     .user_of = times_user_of,
                                     .context = checkpoints->times};
}

/* --- an entry: what is new since the one before, its size first; then the state --- */

static void save_new(struct checkpoints *checkpoints, const struct lists *lists, struct pack *pack)
{
    names_save(&checkpoints->save, checkpoints->names, &lists->pages, pack);
    for (unsigned i = 0; i < lists->set.count; i++)
        stacks_save_codes(&checkpoints->codes[i], lists->stacks[i], pack);
}

static void load_new(struct checkpoints *checkpoints, const struct lists *lists, bool last, struct packed *packed)
{
    const uint64_t size = packed_number(packed);
    const uint8_t *bytes = packed_bytes(packed, size);
    struct packed new = {.at = bytes, .end = bytes ? bytes + size : bytes, .bad = packed->bad};
    names_load(checkpoints->names, &lists->pages, last, &new);
    for (unsigned i = 0; i < lists->set.count; i++)
        stacks_load_codes(lists->stacks[i], &new);
    packed->bad |= new.bad || new.at != new.end;
}

static void save_position(const struct stacks_position *position, struct pack *pack)
{
    pack_number(pack, position->from);
    pack_number(pack, position->taken);
    pack_number(pack, position->time);
    pack_number(pack, position->branches);
    pack_number(pack, position->decode_gaps);
}

static void load_position(struct stacks_position *position, struct packed *packed)
{
    position->from = packed_number(packed);
    position->taken = packed_number(packed);
    position->time = packed_number(packed);
    position->branches = packed_number(packed);
    position->decode_gaps = packed_number(packed);
}

static void save_state(const struct checkpoints *checkpoints, const struct lists *lists,
                       const struct stacks_run_state *state, struct pack *pack)
{
    times_save(checkpoints->times, checkpoints->names, &lists->pages, pack);
    for (unsigned i = 0; i < state->nr_cpus; i++) {
        save_position(&state->cpus[i].position, pack);
        stacks_save_cpu(lists->stacks[i], pack);
    }
    stacks_save_pool(&lists->set, pack);
}

static void load_state(const struct checkpoints *checkpoints, const struct lists *lists,
                       const struct stacks_run_state *state, struct packed *packed)
{
    times_load(checkpoints->times, checkpoints->names, &lists->pages, packed);
    for (unsigned i = 0; i < state->nr_cpus && !packed->bad; i++) {
        load_position(&state->cpus[i].position, packed);
        stacks_load_cpu(lists->stacks[i], packed);
    }
    if (!packed->bad && !stacks_load_pool(&lists->set, packed))
        packed->bad = true;
}

static void keep(struct checkpoints *checkpoints, const struct stacks_run_state *state)
{
    struct pack entry = {0}, new = {0};
    struct lists lists;
    make_lists(&lists, checkpoints, state);
    save_new(checkpoints, &lists, &new);
    pack_number(&entry, new.size);
    pack_bytes(&entry, new.bytes, new.size);
    save_state(checkpoints, &lists, state, &entry);
    entry.no_memory |= new.no_memory;
    const struct stacks_file_entry about = {.tsc = times_latest(checkpoints->times),
                                            .cut = checkpoints->cut,
                                            .names = (uint32_t)names_count(checkpoints->names)};
    checkpoints->off |= !stacks_file_add(&checkpoints->file, about, &entry);
    pack_free(&new);
    pack_free(&entry);
}

/* The entry of the present cut is there already: the next one has what is new since then. */
static void pass_by(struct checkpoints *checkpoints, const struct stacks_run_state *state,
                    const struct stacks_file_entry *entry)
{
    struct pack new = {0};
    struct lists lists;
    make_lists(&lists, checkpoints, state);
    save_new(checkpoints, &lists, &new);
    checkpoints->off |= new.no_memory || entry->names != names_count(checkpoints->names);
    pack_free(&new);
}

static const struct stacks_file_entry *entry_of(const struct stacks_file *file, uint32_t cut)
{
    for (size_t i = file->count; i-- > 0 && file->entries[i].cut >= cut;)
        if (file->entries[i].cut == cut)
            return &file->entries[i];
    return NULL;
}

/* Is there room for one more, after all others? */
static bool has_room(const struct checkpoints *checkpoints)
{
    const struct stacks_file *file = &checkpoints->file;
    const uint64_t trace = (checkpoints->cut + 1) * CHECKPOINTS_BYTES;
    return (file->count == 0 || file->entries[file->count - 1].cut < checkpoints->cut) &&
           file->bytes.size <= trace / CHECKPOINTS_SHARE;
}

static bool on_cut(void *context, const struct stacks_run_state *state, uint64_t more)
{
    struct checkpoints *checkpoints = context;
    const struct stacks_file_entry *entry = entry_of(&checkpoints->file, checkpoints->cut);
    if (times_held(checkpoints->times) > HELD + more / BYTES_A_HELD)
        return false;
    if (entry && !checkpoints->off)
        pass_by(checkpoints, state, entry);
    else if (!checkpoints->off && has_room(checkpoints))
        keep(checkpoints, state);
    checkpoints->cut++;
    return true;
}

/* What was new up to an entry, and its state. */
static bool load(struct checkpoints *checkpoints, const struct stacks_run_state *state, size_t index)
{
    struct packed packed = {.bad = false};
    struct lists lists;
    make_lists(&lists, checkpoints, state);
    for (size_t i = 0; i <= index && !packed.bad; i++) {
        packed = stacks_file_bytes(&checkpoints->file, i);
        load_new(checkpoints, &lists, i == index, &packed);
    }
    if (!packed.bad)
        load_state(checkpoints, &lists, state, &packed);
    return !packed.bad && packed.at == packed.end;
}

/* Everything that is known at the beginning of the pass is in the file already. */
static void note_known(struct checkpoints *checkpoints, const struct stacks_run_state *state)
{
    struct pack known = {0};
    struct lists lists;
    make_lists(&lists, checkpoints, state);
    for (unsigned i = 0; i < state->nr_cpus; i++)
        stacks_save_codes(&checkpoints->codes[i], lists.stacks[i], &known);
    checkpoints->off |= known.no_memory;
    pack_free(&known);
    checkpoints->save.saved = names_count(checkpoints->names);
}

static bool on_begin(void *context, const struct stacks_run_state *state, struct error *error)
{
    struct checkpoints *checkpoints = context;
    checkpoints->codes = calloc(state->nr_cpus + 1, sizeof(*checkpoints->codes));
    checkpoints->nr_cpus = checkpoints->codes ? state->nr_cpus : 0;
    checkpoints->off |= !checkpoints->codes;
    checkpoints->begun = checkpoints->before ? stacks_file_before(&checkpoints->file, checkpoints->before) : SIZE_MAX;
    if (checkpoints->begun != SIZE_MAX) {
        if (!load(checkpoints, state, checkpoints->begun))
            return error_set(error, ERROR_SIDE_FILE, 0, STACKS_RUN_FILE);
        checkpoints->cut = checkpoints->file.entries[checkpoints->begun].cut + 1;
    }
    if (checkpoints->codes)
        note_known(checkpoints, state);
    return checkpoints->begun == SIZE_MAX || !checkpoints->begins || checkpoints->begins(checkpoints->context) ||
           error_set(error, ERROR_MEMORY, 0, "call stacks");
}

void checkpoints_open(struct checkpoints *checkpoints, const struct capture *capture, struct names *names,
                      struct times *times, uint64_t before)
{
    /* What a damaged trace leads to is not kept: its files may be replaced by good ones of the same checksums. */
    *checkpoints = (struct checkpoints){
        .names = names, .times = times, .before = before, .begun = SIZE_MAX, .off = capture->damages.count > 0};
    stacks_file_read(&checkpoints->file, capture, names_identity(names), (uint32_t)names_count(names));
}

struct stacks_run_cuts checkpoints_cuts(struct checkpoints *checkpoints)
{
    return (struct stacks_run_cuts){
        .every = CHECKPOINTS_BYTES, .begin = on_begin, .cut = on_cut, .context = checkpoints};
}

void checkpoints_close(struct checkpoints *checkpoints, const struct capture *capture, bool good)
{
    if (good)
        stacks_file_write(&checkpoints->file, capture);
    for (unsigned i = 0; i < checkpoints->nr_cpus; i++)
        free(checkpoints->codes[i].codes);
    free(checkpoints->codes);
    names_save_free(&checkpoints->save);
    stacks_file_free(&checkpoints->file);
}
