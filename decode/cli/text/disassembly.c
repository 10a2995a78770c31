#include "decode/cli/text/disassembly.h"

#include <stdio.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

bool disassembly_is_there(void)
{
    return true;
}

const char *disassembly_text(char text[DISASSEMBLY_SIZE], const uint8_t *bytes, size_t size, enum instruction_mode mode,
                             uint64_t address)
{
    static const struct {
        ZydisMachineMode machine;
        ZydisStackWidth width;
    } modes[] = {[INSTRUCTION_16] = {ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16},
                 [INSTRUCTION_32] = {ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32},
                 [INSTRUCTION_64] = {ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64}};
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_FAILED(ZydisDecoderInit(&decoder, modes[mode].machine, modes[mode].width)) ||
        ZYAN_FAILED(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)) ||
        ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, size, &instruction, operands)) ||
        ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                                    instruction.operand_count_visible, text, DISASSEMBLY_SIZE, address,
                                                    NULL)))
        snprintf(text, DISASSEMBLY_SIZE, "(bad)");
    return text;
}
#else
bool disassembly_is_there(void)
{
    return false;
}

const char *disassembly_text(char text[DISASSEMBLY_SIZE], const uint8_t *bytes, size_t size, enum instruction_mode mode,
                             uint64_t address)
{
    (void)bytes;
    (void)size;
    (void)mode;
    (void)address;
    text[0] = '\0';
    return text;
}
#endif
