#include "decode/cli/text/branch_text.h"
#include "decode/cli/text/name_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/engine/batch.h"
#include "pt/instruction/instruction.h"

const char *branch_kind_text(uint8_t kind)
{
    switch (kind) {
    case INSTRUCTION_JCC:
        return "cond";
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_CALL_INDIRECT:
        return "call";
    case INSTRUCTION_RET:
        return "ret";
    case INSTRUCTION_FAR_CALL:
        return "syscall";
    case INSTRUCTION_FAR_RETURN:
        return "sysret";
    case FLOW_TAG_EVENT:
        return "event";
    default:
        return "jump";
    }
}

const char *address_text(char text[ADDRESS_TEXT_SIZE], const struct name *name, uint64_t address)
{
    char symbol[NAME_TEXT_SIZE];
    name_text(symbol, name, address);
    snprintf(text, ADDRESS_TEXT_SIZE, "%016" PRIx64 "%s%s", address, symbol[0] ? " " : "", symbol);
    return text;
}
