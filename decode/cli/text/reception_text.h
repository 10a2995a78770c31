/* Prints what a reception says: frames that it ignores, what was lost, and the outcome. */
#ifndef DECODE_CLI_TEXT_RECEPTION_TEXT_H
#define DECODE_CLI_TEXT_RECEPTION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/receive/reception.h"

/* Which warnings were printed: each is printed once, but for those about other stream ids. */
struct reception_said {
    bool version, unpack, boot, tagged, refused, began_before;
    uint32_t stream_id;
    double boot_at;
    unsigned replaced;
    double full_at;
};

/* There is no room for the capture, and the receiver waits. Call it for each attempt. */
void reception_text_full(struct reception_said *said, const char *directory, int reason);

/* If the reception resumes an earlier one: say where. */
void reception_text_resumed(const struct reception *reception, const char *directory);

/* Warn about frames that do not belong to this capture. Call it often. */
void reception_text_others(struct reception_said *said, const struct reception *reception);

/* Print each CPU's stream, if there are several, and what was ignored, lost or damaged. */
void reception_text_losses(const struct reception *reception);

/* Print the outcome, and how to resume. lost: bytes are missing. */
void reception_text_outcome(const struct reception *reception, enum reception_outcome outcome, bool lost,
                            const char *directory);

#endif
