/* Seconds of a monotonic clock. */
#ifndef DECODE_MONOTONIC_H
#define DECODE_MONOTONIC_H

double monotonic_seconds(void);

#endif
