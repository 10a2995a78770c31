#include "decode/query/gate.h"

#include "decode/engine/batch.h"
#include "pt/instruction/instruction.h"

bool gate_enters(uint8_t kind, uint64_t from, uint64_t begin, uint64_t end)
{
    const bool inside = from >= begin && from < end;
    return !inside || kind == INSTRUCTION_CALL_DIRECT || kind == INSTRUCTION_CALL_INDIRECT;
}

void gate_enter(struct gate *gate, uint64_t begin, uint64_t end, uint64_t from, uint8_t kind)
{
    const bool called = kind == INSTRUCTION_CALL_DIRECT || kind == INSTRUCTION_CALL_INDIRECT;
    *gate = (struct gate){.open = true, .begin = begin, .end = end, .called_at = called ? from : 0};
}

void gate_take(struct gate *gate, uint64_t from, uint64_t to, uint8_t kind)
{
    switch (kind) {
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_CALL_INDIRECT:
    case INSTRUCTION_FAR_CALL:
    case FLOW_TAG_EVENT:
        gate->depth++;
        return;
    case INSTRUCTION_RET:
    case INSTRUCTION_FAR_RETURN:
        break;
    default:
        return;
    }
    const bool back = to > gate->called_at && to - gate->called_at <= INSTRUCTION_MAX_BYTES;
    /* It may call itself from the same place: then the count decides. */
    const bool own = from >= gate->begin && from < gate->end;
    if (gate->called_at ? back && (gate->depth <= 0 || !own || to < gate->begin || to >= gate->end) : gate->depth <= 0)
        gate->open = false;
    else
        gate->depth--;
}
