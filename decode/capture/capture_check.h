/* A capture's files compared with its checksums. What is found goes into the capture's damages. */
#ifndef DECODE_CAPTURE_CHECK_H
#define DECODE_CAPTURE_CHECK_H

#include "decode/capture/capture.h"

/* The files of records, and the file of checksums itself: capture_open calls it. */
void capture_check_records(struct capture *capture, const struct capture_map *index, const struct capture_map *meta);

/* A CPU's trace, the blocks that have bytes of from to to; it may be absent. */
void capture_check_trace(struct capture *capture, unsigned cpu, uint64_t from, uint64_t to);

#endif
