/*
 * A trace that did not come with a capture: raw packets in a file, the code in other files, and what nobody can see in
 * either: whose CPU it was, and how it was configured.
 */
#ifndef DECODE_FOREIGN_TRACE_H
#define DECODE_FOREIGN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/flow/flow_trace.h"
#include "decode/foreign/foreign_image.h"

/* cpu_known to returns_whole of struct flow_input count; the rest is filled in. */
struct foreign {
    struct foreign_file packets;
    struct foreign_image image;
    struct flow_trace trace; /* CR3s say nothing: there is one address space */
};

/* Which part of the file: FILE, FILE:OFFSET or FILE:OFFSET-END. The images are in foreign->image. false: error says
 * why. foreign_close is needed in both cases; before foreign_open, *foreign is zeros but for the image. */
bool foreign_open(struct foreign *foreign, const char *pt, const struct flow_input *settings, struct error *error);
void foreign_close(struct foreign *foreign);

/* For whoever fills packets, image and trace.input himself: the rest. name: of the trace, for errors. */
bool foreign_prepare(struct foreign *foreign, const char *name, struct error *error);

/* The packets alone. */
bool foreign_packets(struct foreign_file *packets, const char *pt, struct error *error);

#endif
