/* Decode any bytes as an instruction, in each mode: only the given bytes are read, and the result depends only on the
 * bytes within the instruction's length. */
#include <string.h>

#include "pt/instruction/instruction.h"
#include "tests/fuzz/fuzz.h"

static void decode_in(const uint8_t *data, uint32_t size, enum instruction_mode mode)
{
    struct instruction instruction, again;
    const enum instruction_result result = instruction_decode(&instruction, data, size, mode);
    if (result != INSTRUCTION_DECODED) {
        DEMAND(result == INSTRUCTION_INVALID || size < INSTRUCTION_MAX_BYTES);
        return;
    }
    DEMAND(instruction.length >= 1 && instruction.length <= INSTRUCTION_MAX_BYTES && instruction.length <= size);
    DEMAND(instruction_decode(&again, data, instruction.length, mode) == INSTRUCTION_DECODED);
    DEMAND(again.length == instruction.length && again.kind == instruction.kind &&
           again.displacement == instruction.displacement && again.ip_bytes == instruction.ip_bytes);
    for (uint32_t less = 0; less < instruction.length; less++)
        DEMAND(instruction_decode(&again, data, less, mode) == INSTRUCTION_SHORT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size && at < 64; at++) {
        decode_in(data + at, (uint32_t)(size - at), INSTRUCTION_16);
        decode_in(data + at, (uint32_t)(size - at), INSTRUCTION_32);
        decode_in(data + at, (uint32_t)(size - at), INSTRUCTION_64);
    }
    return 0;
}
