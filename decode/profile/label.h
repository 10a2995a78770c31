/* What to call a function in a list or a picture, whatever is known of it. Pure. */
#ifndef DECODE_PROFILE_LABEL_H
#define DECODE_PROFILE_LABEL_H

#include <stdint.h>
#include <stdio.h>

#include "decode/names/names.h"
#include "decode/profile/profile.h"

#define LABEL_SIZE 512u

/* Its symbol; without one where it begins, in hexadecimal, behind what it belongs to. Longer ones are cut. Returns
 * text.
 */
const char *label_text(char text[LABEL_SIZE], const struct name *name);

/* What it belongs to, "[unknown]" where that is not known. */
const char *label_object(const struct name *name);

/* What runs in a space (struct profile_process): "CR3 0x1234000", "kernel tasks". Returns text. */
const char *label_space(char text[LABEL_SIZE], uint64_t space);

/* The same with the program's name before it, where that is known. Returns text. */
const char *label_process(char text[LABEL_SIZE], const struct profile_process *process);

/* A thread: "worker (131) of perl (125)"; a process's first one: "perl (125)". Returns text. */
const char *label_thread(char text[LABEL_SIZE], const struct name_thread *thread);

#endif
