/* Instructions as text, if the tool was built with Zydis. */
#ifndef DECODE_CLI_TEXT_DISASSEMBLY_H
#define DECODE_CLI_TEXT_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/instruction/instruction.h"

/* Was the tool built with it? */
bool disassembly_is_there(void);

/* Format the instruction at an address. bytes: up to 15 bytes of it and what follows. Invalid bytes are "(bad)". */
#define DISASSEMBLY_SIZE 128u
const char *disassembly_text(char text[DISASSEMBLY_SIZE], const uint8_t *bytes, size_t size, enum instruction_mode mode,
                             uint64_t address);

#endif
