/* Compare our decoding of an instruction with Zydis's. */
#ifndef TESTS_TOOLS_INSTRUCTIONS_JUDGE_H
#define TESTS_TOOLS_INSTRUCTIONS_JUDGE_H

#include "pt/instruction/instruction.h"
#include <stdbool.h>
#include <Zydis/Zydis.h>

/* Zydis distinguishes real mode and 16-bit protected mode; we do not. */
#define NR_JUDGES 4
struct judge {
    const char *name;
    ZydisMachineMode machine_mode;
    enum instruction_mode mode;
    ZydisDecoder decoder;
    uint64_t cases;
    uint64_t agreed;      /* instructions by both, with the same length, kind and target */
    uint64_t foreign;     /* other makers' instructions */
    uint64_t only_ours;   /* decoded by us, rejected by Zydis */
    uint64_t differences; /* decoded by Zydis, and rejected or decoded differently by us */
    uint64_t timed_ours, timed_zydis, ns_ours, ns_zydis;
};
extern struct judge judges[NR_JUDGES];

/* How Zydis decoded the instruction at bytes, of which nr can be read. */
struct opinion {
    const uint8_t *bytes;
    uint32_t nr;
    ZyanStatus status;
    ZydisDecoderContext context;
    ZydisDecodedInstruction instruction;
};

bool judges_init(void);
void judge_ask(const struct judge *judge, struct opinion *opinion);

/* Compare, count, and print the first few differences. */
void judge_compare(struct judge *judge, const struct opinion *opinion);

/* Monotonic nanoseconds. */
uint64_t judge_clock(void);

#endif
