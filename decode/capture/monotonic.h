/* Seconds on a clock that only goes forward. */
#ifndef DECODE_MONOTONIC_H
#define DECODE_MONOTONIC_H

double monotonic_seconds(void);

#endif
