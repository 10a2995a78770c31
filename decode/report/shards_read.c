#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/report/shards.h"
#include "serial/wire/crc32c.h"

/* State of reading a file. */
struct reading {
    struct shards *shards;
    const struct capture *capture;
    unsigned cpu; /* of the current lines; CAPTURE_MAX_CPUS: none yet */
    bool ended, no_memory;
};

static bool read_part(struct reading *reading, const char *line)
{
    struct shards *shards = reading->shards;
    uint32_t part, nr_parts;
    if (sscanf(line, "part %" SCNu32 " %" SCNu32, &part, &nr_parts) != 2 || part == 0 || part > nr_parts ||
        nr_parts > SHARDS_MAX || (shards->nr_parts && nr_parts != shards->nr_parts))
        return false;
    if (!shards->present)
        shards->present = calloc(nr_parts, 1);
    reading->no_memory = !shards->present;
    if (reading->no_memory || shards->present[part - 1])
        return false;
    shards->nr_parts = nr_parts;
    shards->present[part - 1] = 1;
    return true;
}

static bool read_cpu(struct reading *reading, const char *line)
{
    double seconds;
    uint64_t size, bytes;
    if (sscanf(line, "cpu %u %" SCNu64 " %lf %" SCNu64, &reading->cpu, &size, &seconds, &bytes) != 4 ||
        reading->cpu >= reading->capture->nr_cpus || reading->capture->cpus[reading->cpu].size != size ||
        reading->shards->nr_parts == 0) {
        reading->cpu = CAPTURE_MAX_CPUS;
        return false;
    }
    struct flow_run *run = &reading->shards->cpus[reading->cpu].run;
    reading->shards->cpus[reading->cpu].parts++;
    run->seconds += seconds;
    run->lost.bytes += bytes;
    return true;
}

static bool read_stretch(struct reading *reading, const char *line)
{
    struct flow_run *run = &reading->shards->cpus[reading->cpu].run;
    struct flow_result r = {0};
    int error;
    if (sscanf(line,
               "stretch %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64
               " %" SCNx64 " %" SCNu64 " %" SCNu32 " %d %" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNu32 " %" SCNu64
               " %" SCNx64,
               &r.begin, &r.end, &r.tsc, &r.branches, &r.instructions, &r.root_instructions, &r.packets, &r.hash,
               &r.last_to, &r.blocks, &r.overflows, &error, &r.error_offset, &r.error_ip, &r.error_space, &r.loops,
               &r.loop_offset, &r.loop_ip) != 18 ||
        error < 0 || error >= FLOW_NR_ERRORS)
        return false;
    r.error = (enum flow_error)error;
    void *items = run->results;
    struct flow_result *place =
        list_add(&items, &run->nr_results, &reading->shards->cpus[reading->cpu].results_room, sizeof(r));
    run->results = items;
    reading->no_memory = !place;
    if (place)
        *place = r;
    return place != NULL;
}

static bool read_lost(struct reading *reading, const char *line)
{
    struct flow_lost *lost = &reading->shards->cpus[reading->cpu].run.lost;
    struct flow_span span;
    if (sscanf(line, "lost %" SCNu64 " %" SCNu64, &span.begin, &span.end) != 2)
        return false;
    reading->no_memory = !flow_lost_add(lost, span);
    return !reading->no_memory;
}

static bool read_count(struct hot *hot, const char *numbers)
{
    uint64_t address, count;
    if (sscanf(numbers, "%" SCNx64 " %" SCNu64, &address, &count) != 2 || count == 0)
        return false;
    hot_add(hot, address, count);
    return true;
}

static bool starts_with(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static bool read_head(struct reading *reading, unsigned number, const char *line)
{
    const struct record_text hello = reading->capture->hello;
    char should[32];
    snprintf(should, sizeof(should), "capture %08" PRIx32 "\n", crc32c(hello.bytes, hello.size));
    return number == 1   ? !strcmp(line, "undertrace-shard 2\n")
           : number == 2 ? !strcmp(line, should)
                         : read_part(reading, line);
}

static bool read_line(struct reading *reading, unsigned number, const char *line)
{
    if (number <= 3)
        return read_head(reading, number, line);
    if (reading->ended)
        return false;
    if (starts_with(line, "cpu "))
        return read_cpu(reading, line);
    if ((reading->ended = !strcmp(line, "end\n")))
        return true;
    if (reading->cpu == CAPTURE_MAX_CPUS)
        return false;
    struct flow_run *run = &reading->shards->cpus[reading->cpu].run;
    return starts_with(line, "stretch ")    ? read_stretch(reading, line)
           : starts_with(line, "lost ")     ? read_lost(reading, line)
           : starts_with(line, "target ")   ? read_count(&run->targets, line + 7)
           : starts_with(line, "inferred ") ? read_count(&run->inferred, line + 9)
                                            : false;
}

bool shards_read(struct shards *shards, const char *name, const struct capture *capture, struct error *error)
{
    struct reading reading = {.shards = shards, .capture = capture, .cpu = CAPTURE_MAX_CPUS};
    FILE *file = fopen(name, "re");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;
    if (!file)
        return error_set(error, ERROR_CANNOT_OPEN, 0, "%s", name);
    while (good && getline(&line, &room, file) > 0)
        good = read_line(&reading, ++number, line);
    if (ferror(file))
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", name);
    fclose(file);
    free(line);
    if (reading.no_memory)
        return error_set(error, ERROR_MEMORY, 0, "%s", name);
    return (good && reading.ended) || error_set(error, ERROR_SHARD, number + good, "%s", name);
}
