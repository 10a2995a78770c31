#include "decode/cli/text/list_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEX_DIGITS 16u
#define BRANCH_LINE (2 * HEX_DIGITS + 2)
#define MERGED_HEAD 28u /* digits of the TSC and of the CPU, and the spaces after them */
_Static_assert(BRANCH_LINE + MERGED_HEAD <= LIST_LINE_MAX, "a line has room");

/* The hexadecimal digits of 32 bits, the first digit in the lowest byte: each nibble moves to a byte of its own, all in
 * parallel. printf would take most of the time of a list. */
static uint64_t hex_digits(uint32_t number)
{
    uint64_t digits = number;
    digits = (digits << 16 | digits) & 0x0000ffff0000ffff;
    digits = (digits << 8 | digits) & 0x00ff00ff00ff00ff;
    digits = (digits << 4 | digits) & 0x0f0f0f0f0f0f0f0f;
    const uint64_t letters = (digits + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return __builtin_bswap64(digits + 0x3030303030303030 + letters * ('a' - '9' - 1));
}

static void hex_text(char *text, uint64_t number)
{
    const uint64_t halves[2] = {hex_digits((uint32_t)(number >> 32)), hex_digits((uint32_t)number)};
    memcpy(text, halves, sizeof(halves));
}

static void branch_text(char *text, const struct flow_branch *branch)
{
    hex_text(text, branch->from);
    text[HEX_DIGITS] = ' ';
    hex_text(text + HEX_DIGITS + 1, branch->to);
    text[BRANCH_LINE - 1] = '\n';
}

size_t list_text_branches(char *text, const struct flow_batch *batch)
{
    char *to = text;
    for (size_t i = 0; i < batch->count; i++) {
        if (!flow_batch_is_branch(batch, i))
            continue;
        branch_text(to, &batch->items[i].branch);
        to += BRANCH_LINE;
    }
    return (size_t)(to - text);
}

size_t list_text_instructions(char *text, const struct flow_batch *batch)
{
    char *to = text;
    for (size_t i = 0; batch->tags && i < batch->count; i++) {
        if (batch->tags[i] != FLOW_TAG_INSTRUCTION)
            continue;
        hex_text(to, batch->items[i].instruction);
        to[HEX_DIGITS] = '\n';
        to += HEX_DIGITS + 1;
    }
    return (size_t)(to - text);
}

size_t list_text_merged(char *text, uint16_t cpu, uint64_t tsc, const union flow_item *branches, size_t count)
{
    char head[MERGED_HEAD];
    const size_t size = (size_t)snprintf(head, sizeof(head), "%" PRIu64 " %u ", tsc, cpu);
    for (size_t i = 0; i < count; i++, text += size + BRANCH_LINE) {
        memcpy(text, head, size);
        branch_text(text + size, &branches[i].branch);
    }
    return count * (size + BRANCH_LINE);
}
