/*
 * selfmod: code that is written, executed, written again and executed again. What a processor guarantees (SDM "Handling
 * Self- and Cross-Modifying Code"): one CPU sees its own stores at the next instruction fetch. A trace of it decodes
 * only with the bytes that were there at the time.
 */
#include "machine.h"

#define PAGE 4096u
#define ROUNDS 24u

static uint8_t code[4 * PAGE] __attribute__((aligned(4096)));
static uint64_t failures;

typedef uint32_t (*function)(uint32_t);

static void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is == should)
        return;
    failures++;
    console_text(what);
    console_line(": wrong:", is);
}

static uint8_t *emit8(uint8_t *at, uint8_t byte)
{
    *(volatile uint8_t *)at = byte;
    return at + 1;
}

static uint8_t *emit32(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at = emit8(at, (uint8_t)(word >> 8 * i));
    return at;
}

static uint8_t *emit_add(uint8_t *at, uint32_t imm) /* ADD EAX, imm32 */
{
    return emit32(emit8(at, 0x05), imm);
}

static uint8_t *emit_jump(uint8_t *at, const uint8_t *to) /* JMP rel32 */
{
    return emit32(emit8(at, 0xe9), (uint32_t)(to - (at + 5)));
}

static uint8_t *emit_start(uint8_t *at) /* MOV EAX, EDI */
{
    return emit8(emit8(at, 0x89), 0xf8);
}

static uint32_t run(const uint8_t *at, uint32_t argument)
{
    return ((function)(uintptr_t)at)(argument);
}

/* The same page, another constant each time. */
static void rewrite(void)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        emit8(emit_add(emit_start(code), i), 0xc3);
        expect("rewrite", run(code, 1000), 1000 + i);
    }
}

/* A chain of conditional branches and jumps whose shape differs each round: a decoder with a stale page goes astray. */
static void reshape(void)
{
    uint32_t state = 5;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t sum = 0;
        uint8_t *at = emit_start(code + PAGE);
        for (uint32_t link = 0; link < 20; link++) {
            uint32_t random = random_next(&state) % 200;
            uint8_t *next = at + 5 + 3 + 2 + 5 + random % 40;
            at = emit_add(at, random);
            at = emit8(emit8(emit8(at, 0x83), 0xff), 1);                                 /* CMP EDI, 1 */
            at = emit8(emit8(at, random & 1 ? 0x74 : 0x75), (uint8_t)(next - (at + 2))); /* JE or JNE next */
            emit_jump(at, next);
            at = next;
            sum += random;
        }
        emit8(at, 0xc3);
        expect("reshape", run(code + PAGE, 1), 1 + sum);
        expect("reshape", run(code + PAGE, 2), 2 + sum);
    }
}

/* One instruction on two pages; only the second page is written again. */
static void straddle(void)
{
    uint8_t *jump = code + 2 * PAGE - 2;
    uint8_t *base = code + 2 * PAGE + 64;
    emit_start(jump - 2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint8_t *target = base + 32 * (i % 8);
        emit8(emit_add(target, i), 0xc3);
        emit_jump(jump, target);
        expect("straddle", run(jump - 2, 7), 7 + i);
    }
}

/* A page that writes to itself while it runs: MOV DWORD [RIP + 1], EDI; MOV EAX, imm32 (the word just written); RET. */
static void itself(void)
{
    uint8_t *at = code + 3 * PAGE;
    at = emit8(emit8(at, 0x89), 0x3d);
    at = emit32(at, 1);
    at = emit32(emit8(at, 0xb8), 0);
    emit8(at, 0xc3);
    for (uint32_t i = 0; i < ROUNDS; i++)
        expect("itself", run(code + 3 * PAGE, i * 3), i * 3);
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("selfmod: start\r\n");
    rewrite();
    console_text("selfmod: rewrite\r\n");
    reshape();
    console_text("selfmod: reshape\r\n");
    straddle();
    console_text("selfmod: straddle\r\n");
    itself();
    console_text(failures ? "selfmod: FAILED\r\n" : "selfmod: ok\r\n");
}
