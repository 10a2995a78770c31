/* Names of tracks and slices, the same in all formats. */
#ifndef DECODE_EXPORT_TRACKS_H
#define DECODE_EXPORT_TRACKS_H

#include "decode/calls/calls_run.h"
#include "decode/profile/label.h"

/* "CPU 0", "task 12 of CR3 0x1234000". Returns text. */
const char *track_text(char text[LABEL_SIZE], const struct slices *slices, const struct slice_track *track);
const char *task_text(char text[LABEL_SIZE], const struct slice_task *task);

/* The name of a slice's function or task. Returns text. */
const char *track_slice_text(char text[LABEL_SIZE], const struct slices *slices, const struct names *names,
                             const struct slice *slice);

/* How a slice was entered: "call", "interrupt", "syscall", "signal", "jump", "base", "task". */
const char *track_slice_kind(const struct slice *slice);

#endif
