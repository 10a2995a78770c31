/* Lines of the lists that `decode` writes. Pure. */
#ifndef DECODE_CLI_TEXT_LIST_TEXT_H
#define DECODE_CLI_TEXT_LIST_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"

/* The maximum size of a line. */
#define LIST_LINE_MAX 96u

/* Format the batch's branches as "FROM TO", or its instructions as "ADDRESS". Return the size of the text, which has
 * room for LIST_LINE_MAX bytes per item. */
size_t list_text_branches(char *text, const struct flow_batch *batch);
size_t list_text_instructions(char *text, const struct flow_batch *batch);

/* The same for branches with one time, as "TSC CPU FROM TO". */
size_t list_text_merged(char *text, uint16_t cpu, uint64_t tsc, const union flow_item *branches, size_t count);

#endif
