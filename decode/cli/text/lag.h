/* The decoder's lag: how much had been received when. Pure. */
#ifndef DECODE_CLI_TEXT_LAG_H
#define DECODE_CLI_TEXT_LAG_H

#include <stdint.h>

#define LAG_NOTES 512u

struct lag {
    struct lag_note {
        double at;
        uint64_t received;
    } notes[LAG_NOTES]; /* a ring: note i is in slot i % LAG_NOTES */
    uint64_t count;
};

/* So many bytes have been received by now; neither decreases. */
void lag_note(struct lag *lag, double now, uint64_t received);

/* Seconds since the first byte after these decoded ones was received, as far as the notes reach back; 0: there is none.
 */
double lag_seconds(const struct lag *lag, double now, uint64_t decoded);

#endif
