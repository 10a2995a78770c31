#include <inttypes.h>

#include "decode/report/shards.h"
#include "serial/wire/crc32c.h"

/* Identifies the capture: the hello record, which includes boot and machine. */
void shard_write_head(FILE *file, const struct capture *capture, uint32_t part, uint32_t nr_parts)
{
    fprintf(file, "undertrace-shard 2\n");
    fprintf(file, "capture %08" PRIx32 "\n", crc32c(capture->hello.bytes, capture->hello.size));
    fprintf(file, "part %" PRIu32 " %" PRIu32 "\n", part, nr_parts);
}

static void write_result(FILE *file, const struct flow_result *r)
{
    fprintf(file,
            "stretch %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIx64
            " %" PRIx64 " %" PRIu64 " %" PRIu32 " %d %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIu32 " %" PRIu64
            " %" PRIx64 "\n",
            r->begin, r->end, r->tsc, r->branches, r->instructions, r->root_instructions, r->packets, r->hash,
            r->last_to, r->blocks, r->overflows, (int)r->error, r->error_offset, r->error_ip, r->error_space, r->loops,
            r->loop_offset, r->loop_ip);
}

static void write_counts(FILE *file, const char *word, const struct hot *hot)
{
    for (size_t i = 0; i < hot->size; i++)
        if (hot->entries[i].count)
            fprintf(file, "%s %" PRIx64 " %" PRIu64 "\n", word, hot->entries[i].address, hot->entries[i].count);
}

void shard_write_run(FILE *file, const struct capture *capture, unsigned cpu, const struct flow_run *run)
{
    fprintf(file, "cpu %u %" PRIu64 " %.6f %" PRIu64 "\n", cpu, capture->cpus[cpu].size, run->seconds, run->lost.bytes);
    for (size_t i = 0; i < run->nr_results; i++)
        write_result(file, &run->results[i]);
    for (size_t i = 0; i < run->lost.count; i++)
        fprintf(file, "lost %" PRIu64 " %" PRIu64 "\n", run->lost.spans[i].begin, run->lost.spans[i].end);
    write_counts(file, "target", &run->targets);
    write_counts(file, "inferred", &run->inferred);
}

void shard_write_end(FILE *file)
{
    fputs("end\n", file);
}
