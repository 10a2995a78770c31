/*
 * Reads the records of a capture from events.bin, and uses the index where events.bin is damaged. The index is
 * redundant: any difference between the two is damage.
 */
#ifndef DECODE_CAPTURE_RECORDS_H
#define DECODE_CAPTURE_RECORDS_H

#include "decode/capture/capture.h"

/* Fill in records, hello, ends and nr_cpus. false: out of memory. */
bool capture_read_records(struct capture *capture, const struct capture_map *index);

#endif
