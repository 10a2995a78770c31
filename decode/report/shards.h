/*
 * Results of parts of a capture that were decoded separately: written to files, read, and combined into the result of a
 * single decoding. docs/shards.md describes the format.
 */
#ifndef DECODE_SHARDS_H
#define DECODE_SHARDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"

#define SHARDS_MAX 65536u

/* Write a file's beginning, a run for each CPU, and its end. Errors remain in the stream. */
void shard_write_head(FILE *file, const struct capture *capture, uint32_t part, uint32_t nr_parts);
void shard_write_run(FILE *file, const struct capture *capture, unsigned cpu, const struct flow_run *run);
void shard_write_end(FILE *file);

struct shards {
    uint32_t nr_parts; /* 0: no file has been read */
    uint8_t *present;  /* for each part: read */
    struct {
        uint32_t parts; /* number of parts that contain this CPU */
        struct flow_run run;
        size_t results_room;
    } cpus[CAPTURE_MAX_CPUS];
};

/* Add a file. false: error says why. The caller calls shards_free even after an error. */
bool shards_read(struct shards *shards, const char *name, const struct capture *capture, struct error *error);
void shards_free(struct shards *shards);

/* Call after reading all files: puts the parts in order. Returns the first missing part; 0: none. */
uint32_t shards_join(struct shards *shards);

#endif
