/*
 * From a function's first instruction to its return, recognized by branches only. A count of calls gives the depth
 * below the function as long as no other task runs; the return itself is recognized by its target. Pure.
 */
#ifndef DECODE_QUERY_GATE_H
#define DECODE_QUERY_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct gate {
    bool open;
    uint64_t begin, end; /* of the function that opened it */
    uint64_t called_at;  /* the CALL; 0: it was not called */
    int64_t depth;       /* calls below it */
};

/* The function [begin, end) was entered by a branch of this kind (enum instruction_kind or FLOW_TAG_EVENT) at from. */
void gate_enter(struct gate *gate, uint64_t begin, uint64_t end, uint64_t from, uint8_t kind);

/* Take a branch while the gate is open. The gate closes if the branch is the function's return. */
void gate_take(struct gate *gate, uint64_t from, uint64_t to, uint8_t kind);

/* Does a branch of this kind to the function's first instruction enter the function? A loop may branch there as well.
 */
bool gate_enters(uint8_t kind, uint64_t from, uint64_t begin, uint64_t end);

#endif
