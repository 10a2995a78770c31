/*
 * From a function's first instruction to its return: what a CPU executes in between, by its branches alone. Calls are
 * counted, so that how deep it is below the function is known as long as no other task runs; that it returns is known
 * by where to. Pure.
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

/* A branch while it is open. It is closed then if that is the function's return. */
void gate_take(struct gate *gate, uint64_t from, uint64_t to, uint8_t kind);

/* Does a branch of this kind enter a function, if it leads to its first instruction? A loop may lead there as well. */
bool gate_enters(uint8_t kind, uint64_t from, uint64_t begin, uint64_t end);

#endif
