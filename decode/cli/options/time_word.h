/* Moments on the command line. */
#ifndef DECODE_CLI_OPTIONS_TIME_WORD_H
#define DECODE_CLI_OPTIONS_TIME_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Origin and frequency of the time. */
struct time_word_clock {
    uint64_t first_tsc; /* of all CPUs */
    uint64_t khz;       /* 0: unknown, and seconds are refused */
    bool by_branches;   /* no TSC: moments are numbers of branches, "1000" or "1000t" */
};

/* Parse "1.5", seconds since the first TSC, or "1000t", ticks since then, in the first size characters of word. false:
 * it is neither, and *ticks, the TSC, is unchanged. */
bool time_word_parse(uint64_t *ticks, const struct time_word_clock *clock, const char *word, size_t size);

/* Parse "FROM-TO". Either moment may be omitted, and is then unchanged. false: it is not a range, or TO is before
 * FROM. */
bool time_word_window(uint64_t *from, uint64_t *to, const struct time_word_clock *clock, const char *word);

#endif
