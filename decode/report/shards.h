/*
 * What became of parts of a capture that were decoded apart, as files, and all of them together as if they had been
 * decoded at once. docs/shards.md is the format.
 */
#ifndef DECODE_SHARDS_H
#define DECODE_SHARDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

#define SHARDS_MAX 65536u

/* Write a file's beginning, one run for each CPU, and its end. Whether it could be written, the stream tells. */
void shard_write_head(FILE *file, const struct capture *capture, uint32_t part, uint32_t nr_parts);
void shard_write_run(FILE *file, const struct capture *capture, unsigned cpu, const struct flow_run *run);
void shard_write_end(FILE *file);

struct shards {
    uint32_t nr_parts; /* 0: no file has been read */
    uint8_t *present;  /* of each */
    struct {
        uint32_t parts; /* how many tell of this CPU */
        struct flow_run run;
        size_t results_room;
    } cpus[CAPTURE_MAX_CPUS];
};

/* Add what a file tells. false: error says why. shards_free is needed in both cases. */
bool shards_read(struct shards *shards, const char *name, const struct capture *capture, struct error *error);
void shards_free(struct shards *shards);

/* All have been read: put them in order. Returns the first part that is missing; 0: none is. */
uint32_t shards_join(struct shards *shards);

#endif
