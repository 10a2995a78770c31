/* Texts of branches and addresses in lists. */
#ifndef DECODE_CLI_TEXT_BRANCH_TEXT_H
#define DECODE_CLI_TEXT_BRANCH_TEXT_H

#include <stdint.h>

#include "decode/cli/options/query_options.h"
#include "decode/cli/text/name_text.h"

/* kind: enum instruction_kind, or FLOW_TAG_EVENT. */
const char *branch_kind_text(uint8_t kind);

/* Format an address: 16 digits, and its name. */
#define ADDRESS_TEXT_SIZE (NAME_TEXT_SIZE + 20u)
const char *address_text(char text[ADDRESS_TEXT_SIZE], const struct name *name, uint64_t address);

#endif
