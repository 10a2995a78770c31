/* Compares the files of a capture with its checksums, and adds the differences to the capture's damages. */
#ifndef DECODE_CAPTURE_CHECK_H
#define DECODE_CAPTURE_CHECK_H

#include "decode/capture/capture.h"

/* Check the files of records, meta.json, and the file of checksums itself. Called by capture_open. */
void capture_check_records(struct capture *capture, const struct capture_map *index, const struct capture_map *meta);

/* Check the blocks of a CPU's trace that have bytes in [from, to). The trace may be absent. */
void capture_check_trace(struct capture *capture, unsigned cpu, uint64_t from, uint64_t to);

#endif
