/*
 * The records of a capture: events.bin from its start, and the index where events.bin cannot be followed. The index
 * says nothing that events.bin does not say, so what the two disagree about is damage.
 */
#ifndef DECODE_CAPTURE_RECORDS_H
#define DECODE_CAPTURE_RECORDS_H

#include "decode/capture/capture.h"

/* Fill in records and what follows from them. false: no memory. */
bool capture_read_records(struct capture *capture, const struct capture_map *index);

#endif
