/*
 * A trace that is not a capture: raw packets in a file, and the code in other files. Neither says which CPU it was and
 * how it was configured: the caller does.
 */
#ifndef DECODE_FOREIGN_TRACE_H
#define DECODE_FOREIGN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/flow/flow_trace.h"
#include "decode/foreign/foreign_image.h"

struct foreign {
    struct foreign_file packets;
    struct foreign_image image;
    struct flow_trace trace;
};

/* pt: FILE, FILE:OFFSET or FILE:OFFSET-END. settings: only cpu_known to returns_whole are used. The caller has filled
 * foreign->image and set all else of *foreign to 0. false: error says why. foreign_close is needed in both cases. */
bool foreign_open(struct foreign *foreign, const char *pt, const struct flow_input *settings, struct error *error);
void foreign_close(struct foreign *foreign);

/* Prepare the decoding, after packets, image and trace.input were filled. name: of the trace, for errors. */
bool foreign_prepare(struct foreign *foreign, const char *name, struct error *error);

/* Read only the packets. */
bool foreign_packets(struct foreign_file *packets, const char *pt, struct error *error);

#endif
