/* Source: SDM Vol. 2, "Instruction Format"; Jcc, JrCXZ, LOOPcc, JMP and CALL with a displacement. */
#include "tests/judge/flow_target.h"

static bool is_prefix(uint8_t byte, unsigned bits)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3};
    for (size_t i = 0; i < sizeof(prefixes); i++)
        if (byte == prefixes[i])
            return true;
    return bits == 64 && (byte & 0xf0) == 0x40; /* REX */
}

/* Bytes of the displacement; 0: not such an instruction. *size: bytes of the opcode. */
static size_t displacement_size(const uint8_t *opcode, size_t left, size_t large, size_t *size)
{
    *size = 1;
    if (left == 0)
        return 0;
    if ((opcode[0] & 0xf0) == 0x70 || (opcode[0] & 0xfc) == 0xe0 || opcode[0] == 0xeb)
        return 1;
    if (opcode[0] == 0xe8 || opcode[0] == 0xe9)
        return large;
    *size = 2;
    return left > 1 && opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80 ? large : 0;
}

bool flow_target(uint64_t *to, const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits)
{
    bool other_size = false;
    size_t at = 0, opcode;
    for (; at < size && is_prefix(bytes[at], bits); at++)
        other_size |= bytes[at] == 0x66;
    size_t large = bits != 64 && other_size == (bits == 32) ? 2 : 4;
    size_t length = displacement_size(bytes + at, size - at, large, &opcode);
    if (length == 0 || at + opcode + length > size)
        return false;
    at += opcode;
    uint64_t distance = 0;
    for (size_t i = 0; i < length; i++)
        distance |= (uint64_t)bytes[at + i] << (8 * i);
    uint64_t sign = 1ull << (8 * length - 1);
    *to = ip + at + length + ((distance ^ sign) - sign);
    if (bits != 64)
        *to &= 0xffffffff;
    return true;
}
