#include "decode/check/builtin_flow.h"

#include <stdbool.h>

#include "boot/guest/builtin_guest.h"

#define JCC_BYTES 2u
#define LONG_JCC_BYTES 6u

struct guest {
    uint64_t base;
    uint32_t state;
    void (*take)(void *context, uint64_t from, uint64_t to);
    void *context;
};

static void go(const struct guest *g, uint64_t from, uint64_t to)
{
    g->take(g->context, g->base + from, g->base + to);
}

static void go_if(const struct guest *g, bool taken, uint64_t from, uint64_t to)
{
    go(g, from, taken ? to : from + JCC_BYTES);
}

static void call_one(const struct guest *g)
{
    static const uint32_t functions[] = {BUILTIN_PLAIN, BUILTIN_IF, BUILTIN_NESTS, BUILTIN_TAIL};
    const unsigned which = g->state >> 8 & 3;
    go(g, BUILTIN_CALL, functions[which]);
    switch (which) {
    case 1:
        go_if(g, !(g->state & 0x1000), BUILTIN_IF_JZ, BUILTIN_IF_RET);
        go(g, BUILTIN_IF_RET, BUILTIN_CALL_NEXT);
        break;
    case 2:
        go(g, BUILTIN_NESTS, BUILTIN_PLAIN);
        go(g, BUILTIN_PLAIN, BUILTIN_NESTS_RET);
        go(g, BUILTIN_NESTS_RET, BUILTIN_CALL_NEXT);
        break;
    case 3:
        go(g, BUILTIN_TAIL_JMP, BUILTIN_PLAIN);
        go(g, BUILTIN_PLAIN, BUILTIN_CALL_NEXT);
        break;
    default:
        go(g, BUILTIN_PLAIN, BUILTIN_CALL_NEXT);
        break;
    }
}

static void turn(struct guest *g, bool again)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 17;
    g->state ^= g->state << 5;
    go_if(g, g->state & 1, BUILTIN_ODD, BUILTIN_ODD_TO);
    go_if(g, !(g->state & 0x70), BUILTIN_HIGH, BUILTIN_HIGH_TO);
    call_one(g);
    go_if(g, again, BUILTIN_AGAIN, BUILTIN_ITERATION_TO);
}

static void recurse(const struct guest *g)
{
    const uint32_t depth = g->state & BUILTIN_DEPTH_MASK;
    go(g, BUILTIN_DEEP, BUILTIN_RECURSE);
    for (uint32_t i = 0; i < depth; i++) {
        go_if(g, false, BUILTIN_RECURSE_JS, BUILTIN_RECURSE_RET);
        go(g, BUILTIN_RECURSE_CALL, BUILTIN_RECURSE);
    }
    go_if(g, true, BUILTIN_RECURSE_JS, BUILTIN_RECURSE_RET);
    for (uint32_t i = 0; i < depth; i++)
        go(g, BUILTIN_RECURSE_RET, BUILTIN_RECURSE_RET);
    go(g, BUILTIN_RECURSE_RET, BUILTIN_DEEP_NEXT);
}

void builtin_flow(uint64_t base, uint32_t rounds, void (*take)(void *context, uint64_t from, uint64_t to),
                  void *context)
{
    struct guest g = {base, BUILTIN_SEED, take, context};
    go(&g, BUILTIN_FIRST, BUILTIN_FIRST_TO);
    for (uint32_t i = 1; i <= BUILTIN_FILLS; i++)
        go_if(&g, i < BUILTIN_FILLS, BUILTIN_FILL, BUILTIN_FILL_TO);
    go(&g, BUILTIN_ENTER, BUILTIN_LONG);
    for (uint32_t round = 1; round <= rounds; round++) {
        for (uint32_t i = 1; i <= BUILTIN_ITERATIONS; i++)
            turn(&g, i < BUILTIN_ITERATIONS);
        recurse(&g);
        go(&g, BUILTIN_UD2, BUILTIN_ON_UD2);
        go(&g, BUILTIN_UD2_IRET, BUILTIN_UD2_NEXT);
        go(&g, BUILTIN_INT, BUILTIN_INT_IRET);
        go(&g, BUILTIN_INT_IRET, BUILTIN_INT_NEXT);
        go(&g, BUILTIN_ROUND, round < rounds ? BUILTIN_ROUND_TO : BUILTIN_ROUND + LONG_JCC_BYTES);
    }
}
