/*
 * A random program that means nothing: code of each size, full of branches whose outcome is drawn as they are executed.
 * Its tests ask whether a decoder follows.
 */
#ifndef TESTS_UNIT_PT_SOFT_PROGRAM_H
#define TESTS_UNIT_PT_SOFT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/soft/soft_pt.h"

#define AREA_BYTES 2048u
#define NR_AREAS 5u
#define CALLS_MOST 100u

/* Code of one size and privilege level. */
struct area {
    uint64_t base;
    enum instruction_mode mode;
    bool user;
    uint8_t code[AREA_BYTES];
    uint16_t starts[AREA_BYTES]; /* where an instruction begins */
    size_t nr_starts;
    uint64_t calls[CALLS_MOST]; /* where its RETs lead, mostly */
    size_t nr_calls;
};

struct program {
    uint64_t random;
    struct area areas[NR_AREAS];
};

/* What one step has done. */
struct outcome {
    bool event; /* instead of the instruction */
    struct instruction instruction;
    struct soft_context to;
};

void program_make(struct program *program, uint64_t seed);

/* 0 to below - 1. */
uint32_t program_draw(struct program *program, uint32_t below);

/* An instruction in this area, or in any. */
struct soft_context program_place(struct program *program, const struct area *area, uint64_t cr3);
struct soft_context program_anywhere(struct program *program, uint64_t cr3);

/* Execute what is at at. */
struct outcome program_step(struct program *program, struct soft_context at);

/* The code there, and how many bytes of it follow; 0: none. */
size_t program_code(struct program *program, uint64_t ip, const uint8_t **code);

#endif
