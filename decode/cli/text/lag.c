#include "decode/cli/text/lag.h"

static const struct lag_note *note(const struct lag *lag, uint64_t number)
{
    return &lag->notes[number % LAG_NOTES];
}

/* Equal amounts have one note: the first. */
void lag_note(struct lag *lag, double now, uint64_t received)
{
    if (lag->count > 0 && note(lag, lag->count - 1)->received == received)
        return;
    lag->notes[lag->count++ % LAG_NOTES] = (struct lag_note){now, received};
}

double lag_seconds(const struct lag *lag, double now, uint64_t decoded)
{
    const uint64_t oldest = lag->count > LAG_NOTES ? lag->count - LAG_NOTES : 0;
    for (uint64_t i = oldest; i < lag->count; i++)
        if (note(lag, i)->received > decoded)
            return now - note(lag, i)->at;
    return 0;
}
