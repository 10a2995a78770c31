/* Open calls as text and as JSON. */
#ifndef DECODE_CLI_TEXT_STACK_TEXT_H
#define DECODE_CLI_TEXT_STACK_TEXT_H

#include <stdint.h>

#include "decode/measure/measured.h"

/* How a call began, if not by a CALL: " (interrupt)". */
const char *open_entry_text(enum stack_entry entry);

/* The frames, the innermost first, with the time at which each began and how long that is before tsc. most: print at
 * most so many, and count the others. */
void open_calls_print(const struct measure *measure, const struct open_task *task, uint64_t tsc, uint64_t most);

/* Fields of an object: "task", "number", "cr3", "frames". */
void open_task_json(const struct measure *measure, const struct open_task *task, uint64_t tsc);

#endif
