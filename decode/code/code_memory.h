/*
 * What physical pages held: contents belong to the physical page, whatever the addresses at which it is executed. Each
 * version is valid from a trace offset of the decoded CPU on. Pure.
 */
#ifndef DECODE_CODE_MEMORY_H
#define DECODE_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_record.h"

struct code_memory {
    const struct page_record **versions; /* by physical page, then by time */
    size_t count;
};

/* records must outlive it. false: no memory. */
bool code_memory_build(struct code_memory *memory, const struct page_record *records, size_t count);
void code_memory_free(struct code_memory *memory);

/* The version of a physical page at a trace offset; the first one if none is valid yet (its from is later). NULL: the
 * page was never executed. *until is lowered to where the next version begins. */
const struct page_record *code_memory_at(const struct code_memory *memory, bool root, uint64_t gpa, uint64_t at,
                                         uint64_t *until);

#endif
