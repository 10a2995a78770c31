#include "tests/unit/pt/soft/soft_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MODE(mode) (1u << INSTRUCTION_##mode)
#define ALL (MODE(16) | MODE(32) | MODE(64))

/* The displacement that follows the bytes, if any, has this many bytes, and leads onwards only if no packet shows that:
 * else the program could go round without any, and how often before an event would be unknown. */
static const struct shape {
    uint8_t bytes[4], nr, displacement, weight;
    bool onwards, kernel;
    unsigned modes;
} shapes[] = {
    {{0x90}, 1, 0, 8, false, false, ALL},
    {{0x0f, 0x1f, 0x00}, 3, 0, 6, false, false, ALL},
    {{0x48, 0x31, 0xc0}, 3, 0, 4, false, false, MODE(64)},
    {{0x74}, 1, 1, 10, false, false, ALL},
    {{0x0f, 0x85}, 2, 4, 8, false, false, MODE(32) | MODE(64)},
    {{0x0f, 0x8c}, 2, 2, 8, false, false, MODE(16)},
    {{0xe2}, 1, 1, 2, false, false, ALL}, /* LOOP */
    {{0xe3}, 1, 1, 2, false, false, ALL}, /* JCXZ and its like */
    {{0xeb}, 1, 1, 4, true, false, ALL},
    {{0xe9}, 1, 4, 4, true, false, MODE(32) | MODE(64)},
    {{0xe9}, 1, 2, 4, true, false, MODE(16)},
    {{0xe8}, 1, 4, 10, true, false, MODE(32) | MODE(64)},
    {{0xe8}, 1, 2, 10, true, false, MODE(16)},
    {{0xc3}, 1, 0, 8, false, false, ALL},
    {{0xc2, 0x08, 0x00}, 3, 0, 2, false, false, ALL},
    {{0xff, 0xe0}, 2, 0, 3, false, false, ALL},
    {{0xff, 0x20}, 2, 0, 2, false, false, ALL},
    {{0xff, 0xd0}, 2, 0, 4, false, false, ALL},
    {{0x0f, 0x05}, 2, 0, 1, false, false, MODE(64)}, /* SYSCALL */
    {{0x48, 0x0f, 0x07}, 3, 0, 1, false, true, MODE(64)},
    {{0x0f, 0x34}, 2, 0, 1, false, false, MODE(32) | MODE(64)}, /* SYSENTER */
    {{0x0f, 0x35}, 2, 0, 1, false, true, MODE(32) | MODE(64)},
    {{0xcc}, 1, 0, 1, false, false, ALL},
    {{0xcd, 0x80}, 2, 0, 1, false, false, ALL},
    {{0xce}, 1, 0, 1, false, false, MODE(16) | MODE(32)}, /* INTO with OF set: libipt assumes that */
    {{0xf1}, 1, 0, 1, false, false, ALL},                 /* INT1 */
    {{0x48, 0xcf}, 2, 0, 2, false, false, MODE(64)},
    {{0xcf}, 1, 0, 2, false, false, MODE(16) | MODE(32)},
    {{0xcb}, 1, 0, 1, false, false, ALL},
    {{0xff, 0x28}, 2, 0, 1, false, false, ALL}, /* JMP far, CALL far through memory */
    {{0xff, 0x18}, 2, 0, 1, false, false, ALL},
    {{0x0f, 0x22, 0xd8, 0x74}, 4, 1, 2, false, true, ALL}, /* MOV to CR3, JZ */
};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

uint32_t program_draw(struct program *program, uint32_t below)
{
    program->random ^= program->random << 13;
    program->random ^= program->random >> 7;
    program->random ^= program->random << 17;
    return (uint32_t)(program->random >> 32) % below;
}

static const struct shape *shape_draw(struct program *program, const struct area *area)
{
    for (;;) {
        const struct shape *shape = &shapes[program_draw(program, NR_SHAPES)];

        if ((shape->modes >> area->mode & 1) && !(shape->kernel && area->user) &&
            program_draw(program, 10) < shape->weight)
            return shape;
    }
}

/* The displacement of the instruction that is number i, to one that it can reach. */
static int32_t displacement_draw(struct program *program, const struct area *area, size_t i, const struct shape *shape)
{
    const int32_t reach = shape->displacement == 1 ? 127 : AREA_BYTES, next = area->starts[i + 1];

    for (;;) {
        const size_t first = shape->onwards ? i + 1 : 0;
        const size_t target = first + program_draw(program, (uint32_t)(area->nr_starts - first));
        const int32_t displacement = area->starts[target] - next;

        if (displacement <= reach && displacement >= -reach)
            return displacement;
    }
}

static void area_make(struct program *program, struct area *area)
{
    static const uint8_t last[] = {0xff, 0xe0};
    const struct shape *chosen[AREA_BYTES];
    size_t size = 0;

    while (size < AREA_BYTES - 32) {
        const struct shape *shape = shape_draw(program, area);

        chosen[area->nr_starts] = shape;
        area->starts[area->nr_starts++] = (uint16_t)size;
        memcpy(area->code + size, shape->bytes, shape->nr);
        size += (size_t)shape->nr + shape->displacement;
    }
    area->starts[area->nr_starts++] = (uint16_t)size;
    memcpy(area->code + size, last, sizeof(last));
    for (size_t i = 0; i + 1 < area->nr_starts; i++) {
        const struct shape *shape = chosen[i];
        const int32_t displacement = shape->displacement ? displacement_draw(program, area, i, shape) : 0;

        memcpy(area->code + area->starts[i] + shape->nr, &displacement, shape->displacement);
    }
}

void program_make(struct program *program, uint64_t seed)
{
    static const struct area areas[NR_AREAS] = {
        {.base = 0xffffffff81000000, .mode = INSTRUCTION_64},
        {.base = 0x00007f5500001000, .mode = INSTRUCTION_64, .user = true},
        {.base = 0x08048000, .mode = INSTRUCTION_32, .user = true},
        {.base = 0xfffff800, .mode = INSTRUCTION_32}, /* up to the end of what 32 bits reach */
        {.base = 0x7c00, .mode = INSTRUCTION_16},
    };

    memcpy(program->areas, areas, sizeof(areas));
    program->random = seed * 0x9e3779b97f4a7c15ull + 1;
    for (size_t i = 0; i < NR_AREAS; i++)
        area_make(program, &program->areas[i]);
}

struct soft_context program_place(struct program *program, const struct area *area, uint64_t cr3)
{
    const uint16_t start = area->starts[program_draw(program, (uint32_t)area->nr_starts)];

    return (struct soft_context){.ip = area->base + start,
                                 .cr3 = cr3,
                                 .user = area->user,
                                 .cs_l = area->mode == INSTRUCTION_64,
                                 .cs_d = area->mode == INSTRUCTION_32};
}

struct soft_context program_anywhere(struct program *program, uint64_t cr3)
{
    return program_place(program, &program->areas[program_draw(program, NR_AREAS)], cr3);
}

static struct area *area_at(struct program *program, uint64_t ip)
{
    for (size_t i = 0; i < NR_AREAS; i++)
        if (ip - program->areas[i].base < AREA_BYTES)
            return &program->areas[i];
    return NULL;
}

size_t program_code(struct program *program, uint64_t ip, const uint8_t **code)
{
    const struct area *area = area_at(program, ip);

    if (!area)
        return 0;
    *code = area->code + (ip - area->base);
    return AREA_BYTES - (size_t)(ip - area->base);
}

static void call_push(struct area *area, uint64_t next)
{
    if (area->nr_calls == CALLS_MOST)
        memmove(area->calls, area->calls + 1, --area->nr_calls * sizeof(area->calls[0]));
    area->calls[area->nr_calls++] = next;
}

/* Where a near branch of this area leads. */
static uint64_t near_target(struct program *program, struct area *area, const struct instruction *i, uint64_t next)
{
    const uint64_t direct = next + (uint64_t)(int64_t)i->displacement;

    switch (i->kind) {
    case INSTRUCTION_JCC:
        return program_draw(program, 2) ? direct : next;
    case INSTRUCTION_CALL_DIRECT:
        if (i->displacement != 0)
            call_push(area, next);
        return direct;
    case INSTRUCTION_JMP_DIRECT:
        return direct;
    case INSTRUCTION_RET:
        if (area->nr_calls > 0 && program_draw(program, 16))
            return area->calls[--area->nr_calls];
        break;
    case INSTRUCTION_CALL_INDIRECT:
        call_push(area, next);
        break;
    default:
        break;
    }
    return program_place(program, area, 0).ip;
}

struct outcome program_step(struct program *program, struct soft_context at)
{
    struct outcome outcome = {.to = at};
    struct area *area = area_at(program, at.ip);
    const uint8_t *code = area->code + (at.ip - area->base);
    struct instruction *i = &outcome.instruction;

    assert_int_equal(instruction_decode(i, code, INSTRUCTION_MAX_BYTES, area->mode), INSTRUCTION_DECODED);
    outcome.to.ip += i->length;
    if (program_draw(program, 50) == 0) {
        outcome.event = true;
        outcome.to = program_anywhere(program, at.cr3);
        return outcome;
    }
    switch (i->kind) {
    case INSTRUCTION_PLAIN:
        break;
    case INSTRUCTION_MOV_CR3:
        outcome.to.cr3 = 0x5000 + 0x1000 * program_draw(program, 3);
        break;
    case INSTRUCTION_FAR_CALL:
    case INSTRUCTION_FAR_RETURN:
    case INSTRUCTION_FAR_JUMP:
        do /* INTO that leads there has not overflown */
            outcome.to = program_anywhere(program, at.cr3);
        while (outcome.to.ip == at.ip + i->length);
        break;
    default:
        outcome.to.ip = near_target(program, area, i, outcome.to.ip);
        break;
    }
    return outcome;
}
