#include "decode/stack/stack_code.h"

#include <stdlib.h>
#include <string.h>

#include "pt/instruction/instruction.h"

#define BEGIN_BYTES 32u
#define MOST_NOPS 8u
#define MOST_JUMPS 3u

static bool begins(const uint8_t *bytes, size_t size, const char *with, size_t length)
{
    return size >= length && !memcmp(bytes, with, length);
}
#define BEGINS(bytes, size, with) begins(bytes, size, with, sizeof(with) - 1)

/* ENDBR64, ENDBR32, NOP of any length, LFENCE: they do nothing here. */
static bool does_nothing(const uint8_t *bytes, size_t size)
{
    while (size > 0 && (bytes[0] == 0x66 || bytes[0] == 0x2e)) {
        bytes++;
        size--;
    }
    return BEGINS(bytes, size, "\xf3\x0f\x1e\xfa") || BEGINS(bytes, size, "\xf3\x0f\x1e\xfb") ||
           BEGINS(bytes, size, "\x90") || BEGINS(bytes, size, "\x0f\x1f") || BEGINS(bytes, size, "\x0f\xae\xe8");
}

/* What is called by a piece of code that changes its own return address: MOV of a register to the top of the stack
 * makes an indirect branch of the RET that follows; LEA or ADD that drops the address, a RET to the caller before. */
static enum stack_code called_code(const uint8_t *bytes, size_t size)
{
    const bool wide = size > 0 && (bytes[0] & 0xf8) == 0x48;
    if (size >= 4 && wide && bytes[1] == 0x89 && (bytes[2] & 0xc7) == 0x04 && bytes[3] == 0x24)
        return STACK_CODE_INDIRECT;
    if (BEGINS(bytes, size, "\x48\x8d\x64\x24\x08") || BEGINS(bytes, size, "\x48\x83\xc4\x08"))
        return STACK_CODE_RETURN;
    return STACK_CODE_FUNCTION;
}

/* The first instruction at an address that does something. false: none is known. *address: that of the next one. */
static bool first_step(struct instruction *instruction, stack_code_read *read, void *context, uint64_t *address)
{
    uint8_t bytes[BEGIN_BYTES];
    const size_t size = read(context, *address, bytes, sizeof(bytes));
    size_t at = 0;
    for (unsigned i = 0; i <= MOST_NOPS; i++) {
        if (instruction_decode(instruction, bytes + at, (uint32_t)(size - at), INSTRUCTION_64) != INSTRUCTION_DECODED)
            return false;
        const bool nothing = does_nothing(bytes + at, size - at);
        at += instruction->length;
        if (!nothing) {
            *address += at;
            return true;
        }
    }
    return false;
}

/* Linux marks the trampolines of its static calls: a direct jump, which is patched, and then "SCT" or UD1, which is not
 * executed. arch/x86/include/asm/static_call.h of Linux. after: the address after the jump. */
static bool is_static_call(stack_code_read *read, void *context, uint64_t after)
{
    uint8_t bytes[3];
    const size_t size = read(context, after, bytes, sizeof(bytes));
    return BEGINS(bytes, size, "SCT") || BEGINS(bytes, size, "\x0f\xb9\xcc");
}

/* A direct jump leads to where the code is: a thunk of RET that the kernel has replaced by another one. */
enum stack_code stack_code_classify(stack_code_read *read, void *context, uint64_t address)
{
    struct instruction instruction;
    uint8_t bytes[8];
    for (unsigned jumps = 0; jumps < MOST_JUMPS && first_step(&instruction, read, context, &address); jumps++) {
        if (instruction.kind == INSTRUCTION_RET)
            return STACK_CODE_RETURN;
        if (instruction.kind == INSTRUCTION_JMP_INDIRECT && jumps == 0)
            return STACK_CODE_INDIRECT;
        if (instruction.kind == INSTRUCTION_JMP_DIRECT && jumps == 0 && is_static_call(read, context, address))
            return STACK_CODE_INDIRECT;
        address += (uint64_t)(int64_t)instruction.displacement;
        if (instruction.kind == INSTRUCTION_CALL_DIRECT)
            return called_code(bytes, read(context, address, bytes, sizeof(bytes)));
        if (instruction.kind != INSTRUCTION_JMP_DIRECT)
            break;
    }
    return STACK_CODE_FUNCTION;
}

struct place {
    const struct code_pages *pages;
    uint64_t space, at;
};

static size_t read_code(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
    const struct place *place = context;
    return code_pages_read(place->pages, place->space, place->at, address, bytes, size);
}

/* Where the code is not known: what Linux calls them. */
static enum stack_code code_by_name(const struct name *name)
{
    static const char *const returns[] = {"__x86_return_thunk", "srso_", "retbleed_", "its_return_thunk"};
    if (name->symbol && !strncmp(name->symbol, "__x86_indirect_", 15))
        return STACK_CODE_INDIRECT;
    for (size_t i = 0; name->symbol && i < sizeof(returns) / sizeof(returns[0]); i++)
        if (!strncmp(name->symbol, returns[i], strlen(returns[i])))
            return STACK_CODE_RETURN;
    return STACK_CODE_FUNCTION;
}

static bool make_room(struct stacks *stacks, size_t number)
{
    if (number < stacks->nr_codes)
        return true;
    const size_t count = 2 * number + 64;
    uint8_t *codes = realloc(stacks->codes, count);
    if (!codes)
        return false;
    memset(codes + stacks->nr_codes, STACK_CODE_UNKNOWN, count - stacks->nr_codes);
    stacks->codes = codes;
    stacks->nr_codes = count;
    return true;
}

void stack_code_note(struct stacks *stacks, const struct name *name, uint64_t cr3, uint64_t at)
{
    struct place place = {stacks->pages, code_pages_space(stacks->pages, cr3), at};
    uint8_t byte;
    if (!make_room(stacks, name->number)) {
        stacks->no_memory = true;
        return;
    }
    if (stacks->codes[name->number] != STACK_CODE_UNKNOWN)
        return;
    stacks->codes[name->number] =
        (uint8_t)(read_code(&place, name->begin, &byte, 1) ? stack_code_classify(read_code, &place, name->begin)
                                                           : code_by_name(name));
}

bool stack_code_set(struct stacks *stacks, size_t number, uint8_t code)
{
    const bool good = make_room(stacks, number);
    if (good)
        stacks->codes[number] = code;
    return good;
}

enum stack_code stack_code_of(const struct stacks *stacks, const struct name *name)
{
    const uint8_t code = name->number < stacks->nr_codes ? stacks->codes[name->number] : STACK_CODE_UNKNOWN;
    return code == STACK_CODE_UNKNOWN ? STACK_CODE_FUNCTION : (enum stack_code)code;
}
