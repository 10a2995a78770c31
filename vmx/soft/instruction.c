/* Kind: shell */
/* The instruction that a step is going to execute. */
#include <string.h>

#include "vmx/guest/memory.h"
#include "vmx/soft/parts.h"

static enum instruction_mode mode_of(const struct soft_context *context)
{
    return context->cs_l ? INSTRUCTION_64 : context->cs_d ? INSTRUCTION_32 : INSTRUCTION_16;
}

/* The instruction's bytes in guest memory. NULL: they may cross a page boundary, or the page is not present. The page
 * is translated again when the guest comes from another page, and after each event: a CPU, too, may use a cached
 * translation until then. */
static const uint8_t *bytes_in_page(struct soft_instruction *instruction, const struct soft_context *at)
{
    const uint64_t page = soft_page_of(at->ip);

    if (at->ip - page > PAGE_BYTES - INSTRUCTION_MAX_BYTES)
        return NULL;
    if (!instruction->page_va || instruction->page != page || instruction->page_cr3 != at->cr3) {
        instruction->page = page;
        instruction->page_cr3 = at->cr3;
        instruction->page_va = guest_page(guest_translate(page));
    }
    return instruction->page_va ? instruction->page_va + (at->ip - page) : NULL;
}

void soft_instruction_read(struct soft_instruction *instruction, const struct soft_position *at)
{
    const uint8_t *bytes = bytes_in_page(instruction, &at->context);
    uint32_t nr = INSTRUCTION_MAX_BYTES;

    if (!bytes) {
        nr = guest_memory_read(instruction->bytes, at->context.ip, nr);
        bytes = instruction->bytes;
    }
    instruction->decoded =
        instruction_decode(&instruction->decode, bytes, nr, mode_of(&at->context)) == INSTRUCTION_DECODED;
    if (instruction->decoded && bytes != instruction->bytes)
        memcpy(instruction->bytes, bytes, instruction->decode.length);
    if (instruction->decoded && instruction->decode.kind == INSTRUCTION_FAR_RETURN)
        instruction->stack = soft_stack_top(at);
}

void soft_instruction_forget_page(struct soft_instruction *instruction)
{
    instruction->page_va = NULL;
}
