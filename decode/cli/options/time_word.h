/* Moments as people type them. */
#ifndef DECODE_CLI_OPTIONS_TIME_WORD_H
#define DECODE_CLI_OPTIONS_TIME_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From when on is counted, and how fast. */
struct time_word_clock {
    uint64_t first_tsc; /* of all CPUs */
    uint64_t khz;       /* 0: not known, then seconds are refused */
    bool by_branches;   /* there is no TSC: moments are numbers of branches, "1000" or "1000t" */
};

/* "1.5", seconds since the first TSC, or "1000t", ticks since then; the first size characters of word. false: it is
 * neither, and *ticks, the TSC, is left alone. */
bool time_word_parse(uint64_t *ticks, const struct time_word_clock *clock, const char *word, size_t size);

/* "FROM-TO", moments of which one may be left out: that one is left alone. false: it is none, or TO is before FROM. */
bool time_word_window(uint64_t *from, uint64_t *to, const struct time_word_clock *clock, const char *word);

#endif
