/* Lines of the lists that `decode` writes. Pure. */
#ifndef DECODE_CLI_TEXT_LIST_TEXT_H
#define DECODE_CLI_TEXT_LIST_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"

/* "FROM TO", "ADDRESS": of struct flow_text, which see. */
size_t list_text_branches(char *text, const struct flow_branch *branches, size_t count, uint64_t tsc);
size_t list_text_instruction(char *text, uint64_t ip);

/* "TSC CPU FROM TO": of flow_merge_format. */
size_t list_text_merged(char *text, uint16_t cpu, uint64_t tsc, const struct flow_branch *branches, size_t count);

#endif
