#include "decode/check/truth_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/psb.h"

static bool add_checkpoint(struct truth_cpu *truth, const struct truth_checkpoint *checkpoint)
{
    if (truth->nr_checkpoints % 4096 == 0) {
        size_t bytes = (truth->nr_checkpoints + 4096) * sizeof(*truth->checkpoints);
        struct truth_checkpoint *more = realloc(truth->checkpoints, bytes);
        if (!more)
            return false;
        truth->checkpoints = more;
    }
    truth->checkpoints[truth->nr_checkpoints++] = *checkpoint;
    return true;
}

/* Read one entry. 1: done, 0: the file ends here, -1: error says why. */
static int read_entry(struct truth_cpu *truth, FILE *stream, const char *file, uint16_t cpu, struct error *error)
{
    union {
        struct truth_checkpoint checkpoint;
        struct truth_end end;
    } entry;
    long at = ftell(stream);
    if (fread(&entry, 8, 1, stream) != 1)
        return 0;
    uint32_t kind = entry.checkpoint.kind;
    size_t size = kind == TRUTH_CHECKPOINT ? sizeof(entry.checkpoint) : kind == TRUTH_END ? sizeof(entry.end) : 0;
    if (size == 0) {
        error_set(error, ERROR_TRUTH_ENTRY, (uint64_t)at, "%s", file);
        return -1;
    }
    if (fread((char *)&entry + 8, size - 8, 1, stream) != 1)
        return 0;
    if (entry.checkpoint.cpu != cpu)
        return 1;
    if (kind == TRUTH_END) {
        truth->ended = true;
        truth->end = entry.end;
    } else if (!add_checkpoint(truth, &entry.checkpoint)) {
        error_set(error, ERROR_MEMORY, 0, "the checkpoints of %s", file);
        return -1;
    }
    return 1;
}

bool truth_read(struct truth_cpu *truth, const char *file, uint16_t cpu, struct error *error)
{
    *truth = (struct truth_cpu){0};
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return error_set(error, ERROR_CANNOT_OPEN, 0, "%s", file);
    struct truth_file_header header = {0};
    int more = 1;
    if (fread(&header, sizeof(header), 1, stream) != 1 ||
        memcmp(header.magic, TRUTH_MAGIC, sizeof(header.magic)) != 0 || header.version != 1) {
        error_set(error, ERROR_NO_TRUTH, 0, "%s", file);
        more = -1;
    }
    truth->nr_cpus = header.nr_cpus;
    while (more > 0)
        more = read_entry(truth, stream, file, cpu, error);
    fclose(stream);
    if (more == 0)
        return true;
    truth_free(truth);
    return false;
}

void truth_free(struct truth_cpu *truth)
{
    free(truth->checkpoints);
    *truth = (struct truth_cpu){0};
}

/* An interval of the truth: it ends at trace_end. */
struct interval {
    uint64_t begin, end, branches, hash, last_to;
};

static struct interval interval_at(const struct truth_cpu *truth, size_t i)
{
    uint64_t begin = i == 0 ? 0 : truth->checkpoints[i - 1].trace_offset;
    if (i == truth->nr_checkpoints)
        return (struct interval){begin, truth->end.trace_bytes, truth->end.branches, truth->end.hash, 0};
    const struct truth_checkpoint *c = &truth->checkpoints[i];
    return (struct interval){begin, c->trace_offset, c->branches, c->hash, c->last_to};
}

static void note_difference(struct truth_comparison *comparison, size_t i, const struct interval *interval,
                            const struct flow_result *result)
{
    if (comparison->first.found)
        return;
    comparison->first = (struct truth_difference){
        .found = true,
        .interval = i,
        .trace_begin = interval->begin,
        .trace_end = interval->end,
        .expected_branches = interval->branches,
        .expected_last_to = interval->last_to,
        .missing = !result,
    };
    if (result) {
        comparison->first.branches = result->branches;
        comparison->first.last_to = result->last_to;
        const bool loop = !result->error && result->loops;
        comparison->first.error = loop ? FLOW_ERROR_LOOP : result->error;
        comparison->first.error_ip = loop ? result->loop_ip : result->error_ip;
    }
}

/* A gap touches the interval: check the stretch before the gap. After the gap decoding resumes at the next PSB, where
 * the next interval begins. */
static void compare_parts(struct truth_comparison *comparison, size_t i, const struct interval *interval,
                          const struct flow_result *results, size_t nr_results, size_t *at)
{
    for (; *at < nr_results && results[*at].begin < interval->end; ++*at) {
        const struct flow_result *part = &results[*at];
        if (i == 0 || part->begin != interval->begin) {
            comparison->extra_stretches++;
            continue;
        }
        comparison->parts++;
        comparison->branches_in_parts += part->branches;
        if (part->branches < interval->branches ||
            (part->branches == interval->branches && part->hash == interval->hash))
            continue;
        note_difference(comparison, i, interval, part);
        comparison->first.part = comparison->first.part || comparison->first.interval == i;
    }
    comparison->intervals++;
    comparison->branches += interval->branches;
    comparison->in_gaps++;
    comparison->branches_in_gaps += interval->branches;
}

/* A gap less than a PSB's length after the end has truncated that PSB, so the stretch does not end there. A gap at the
 * trace's first byte comes before interval 0: tracing was paused when the guest began. */
static bool is_in_gap(const struct gaps *gaps, size_t i, const struct interval *interval)
{
    return gaps_touch(gaps, interval->begin, interval->end + PSB_BYTES - 1) ||
           (i == 0 && gaps && gaps->count > 0 && gaps->items[0].at == 0);
}

void truth_compare(struct truth_comparison *comparison, const struct truth_cpu *truth,
                   const struct flow_result *results, size_t nr_results, const struct gaps *gaps)
{
    *comparison = (struct truth_comparison){0};
    size_t at = 0;
    size_t intervals = truth->nr_checkpoints + (truth->ended ? 1 : 0);
    for (size_t i = 0; i < intervals; i++) {
        struct interval interval = interval_at(truth, i);
        if (is_in_gap(gaps, i, &interval)) {
            compare_parts(comparison, i, &interval, results, nr_results, &at);
            continue;
        }
        while (at < nr_results && results[at].begin < interval.begin) {
            comparison->extra_stretches++;
            at++;
        }
        /* Nothing is traced before the first PSB: the truth must have no branches there. */
        const struct flow_result nothing = {.hash = TRUTH_HASH_SEED};
        const struct flow_result *result = i == 0 ? &nothing : NULL;
        if (i > 0 && at < nr_results && results[at].begin == interval.begin && results[at].end == interval.end)
            result = &results[at++];
        comparison->intervals++;
        comparison->branches += interval.branches;
        if (result && result->branches == interval.branches && result->hash == interval.hash) {
            comparison->matched += interval.branches;
            comparison->equal_intervals++;
        } else {
            note_difference(comparison, i, &interval, result);
        }
    }
    comparison->extra_stretches += nr_results - at;
}

void truth_add(struct truth_comparison *sum, const struct truth_comparison *c)
{
    if (!sum->first.found)
        sum->first = c->first;
    sum->branches += c->branches;
    sum->matched += c->matched;
    sum->intervals += c->intervals;
    sum->equal_intervals += c->equal_intervals;
    sum->in_gaps += c->in_gaps;
    sum->branches_in_gaps += c->branches_in_gaps;
    sum->parts += c->parts;
    sum->branches_in_parts += c->branches_in_parts;
    sum->extra_stretches += c->extra_stretches;
}
