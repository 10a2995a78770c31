/* Labels of functions, processes and threads in lists and pictures. Pure. */
#ifndef DECODE_PROFILE_LABEL_H
#define DECODE_PROFILE_LABEL_H

#include <stdint.h>
#include <stdio.h>

#include "decode/names/names.h"
#include "decode/profile/profile.h"

#define LABEL_SIZE 512u

/* The function's symbol; without one, its object and its address in hexadecimal. Longer labels are truncated. Returns
 * text. */
const char *label_text(char text[LABEL_SIZE], const struct name *name);

/* The object (file) that a function belongs to, or "[unknown]". */
const char *label_object(const struct name *name);

/* What runs in a space (struct profile_process): "CR3 0x1234000", "kernel tasks". Returns text. */
const char *label_space(char text[LABEL_SIZE], uint64_t space);

/* The same with the program's name before it, where that is known. Returns text. */
const char *label_process(char text[LABEL_SIZE], const struct profile_process *process);

/* A thread: "worker (131) of perl (125)"; a process's first one: "perl (125)". Returns text. */
const char *label_thread(char text[LABEL_SIZE], const struct name_thread *thread);

#endif
