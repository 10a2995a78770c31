#include "decode/stack/transfer.h"

#include "pt/instruction/instruction.h"

enum transfer_kind transfer_kind_of(uint8_t tag)
{
    switch (tag) {
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_CALL_INDIRECT:
        return TRANSFER_CALL;
    case INSTRUCTION_RET:
        return TRANSFER_RETURN;
    case INSTRUCTION_FAR_CALL:
        return TRANSFER_FAR_CALL;
    case INSTRUCTION_FAR_RETURN:
        return TRANSFER_FAR_RETURN;
    case FLOW_TAG_EVENT:
        return TRANSFER_INTERRUPT;
    default:
        return TRANSFER_JUMP;
    }
}
