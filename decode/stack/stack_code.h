/*
 * Inside of this room: what a function does by its first instructions. Compilers and kernels replace branches by calls
 * of small pieces of code, which do not belong into a call stack: retpolines, thunks of RET, stubs of
 * the PLT. Their names differ between kernels, and some have none.
 */
#ifndef DECODE_STACK_CODE_H
#define DECODE_STACK_CODE_H

#include "decode/stack/stacks_state.h"

/* Find out what the function of a name does, and remember it. cr3, at: where its code is read. */
void stack_code_note(struct stacks *stacks, const struct name *name, uint64_t cr3, uint64_t at);

/* Note it by the number of a name. false: no memory. */
bool stack_code_set(struct stacks *stacks, size_t number, uint8_t code);

/* What was noted; STACK_CODE_FUNCTION: nothing. */
enum stack_code stack_code_of(const struct stacks *stacks, const struct name *name);

/* By the bytes of a function's begin. read: reads size bytes at an address, and returns how many are known. */
typedef size_t stack_code_read(void *context, uint64_t address, uint8_t *bytes, size_t size);
enum stack_code stack_code_classify(stack_code_read *read, void *context, uint64_t address);

#endif
