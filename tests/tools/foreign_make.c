/*
 * A foreign trace: code made up at random, a walk through it, and the packets that Intel PT would write of that walk,
 * by our own encoder. For comparing how different decoders read it.
 *
 * usage: foreign_make SEED NAME [unmatched]
 *                                    makes NAME.pt, NAME.bin (the code, for address CODE_BASE) and NAME.walk: the
 *                                    addresses of the instructions that packets prove, in order. unmatched: RETs may
 *                                    go elsewhere than after their CALL: libipt leaves that CALL on its stack, where
 *                                    the manual takes it off
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pt/packet/packet.h"

#define CODE_BASE 0x401000ull
#define CODE_MOST 6000u
#define STEPS 4000u
#define CALLS 64u

enum kind { NOP, JCC, JMP, CALL, RET, JMP_INDIRECT, CALL_INDIRECT, PTWRITE, MOV_CR3, NR_KINDS };

struct instruction {
    enum kind kind;
    uint32_t at, length, target; /* offsets; target: number of an instruction */
};

static struct instruction code[CODE_MOST];
static uint32_t nr_code;
static uint64_t walk[STEPS + 1];
static uint32_t nr_walk, nr_proven;
static uint64_t calls[CALLS];
static uint32_t next_call, nr_calls;
static struct packet tnt;
static uint64_t last_ip;
static bool in_transaction, unmatched;
static uint64_t random_state;
static FILE *trace;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 33) % below;
}

static uint64_t ip_of(uint32_t number)
{
    return CODE_BASE + code[number].at;
}

/* --- the code --- */

/* Direct branches lead on, so that no loop goes without a packet; no CALL to the next instruction, of which no RET
 * comes back. */
static void plan_code(void)
{
    static const uint8_t often[NR_KINDS] = {50, 18, 5, 6, 6, 3, 3, 2, 2};
    static const uint8_t lengths[NR_KINDS] = {0, 6, 5, 5, 1, 2, 2, 4, 3};
    uint32_t at = 0;
    for (nr_code = 0; nr_code < CODE_MOST; nr_code++) {
        uint32_t choice = draw(95), kind = 0;
        while (choice >= often[kind])
            choice -= often[kind++];
        code[nr_code].kind = nr_code >= CODE_MOST - 2 ? JMP_INDIRECT : (enum kind)kind;
        code[nr_code].at = at;
        code[nr_code].length = code[nr_code].kind == NOP ? 1 + draw(4) : lengths[code[nr_code].kind];
        const uint32_t left = CODE_MOST - 1 - nr_code;
        code[nr_code].target = nr_code + (left > 1 ? 2 + draw(left < 21 ? left - 1 : 20) : left);
        at += code[nr_code].length;
    }
}

static void write_code(FILE *file)
{
    static const uint8_t nops[5][4] = {{0}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0x00}};
    static const uint8_t others[NR_KINDS][4] = {[RET] = {0xc3},
                                                [JMP_INDIRECT] = {0xff, 0xe0},
                                                [CALL_INDIRECT] = {0xff, 0xd0},
                                                [PTWRITE] = {0xf3, 0x0f, 0xae, 0xe0},
                                                [MOV_CR3] = {0x0f, 0x22, 0xd8}};
    for (uint32_t i = 0; i < nr_code; i++) {
        uint8_t bytes[6] = {0};
        const struct instruction *c = &code[i];
        const uint32_t next = c->at + c->length;
        const uint32_t displacement = code[c->target].at - next;
        memcpy(bytes, c->kind == NOP ? nops[c->length] : others[c->kind], 4);
        if (c->kind == JCC)
            bytes[0] = 0x0f, bytes[1] = 0x84;
        if (c->kind == JMP || c->kind == CALL)
            bytes[0] = c->kind == JMP ? 0xe9 : 0xe8;
        if (c->kind >= JCC && c->kind <= CALL)
            memcpy(bytes + c->length - 4, &displacement, 4);
        fwrite(bytes, 1, c->length, file);
    }
}

/* --- the packets --- */

static void put(const struct packet *packet)
{
    uint8_t bytes[PT_PACKET_MAX_SIZE];
    const size_t size = packet_encode(bytes, packet);
    fwrite(bytes, 1, size, trace);
}

static void put_kind(enum packet_kind kind)
{
    put(&(struct packet){.kind = kind});
}

static void flush(void)
{
    if (tnt.tnt_bits)
        put(&tnt);
    tnt = (struct packet){.kind = PT_PACKET_TNT_8};
}

static void put_bit(bool taken)
{
    tnt.tnt = tnt.tnt << 1 | taken;
    tnt.tnt_bits++;
    nr_proven = nr_walk;
    if (tnt.tnt_bits == 6)
        flush();
}

static void put_ip(enum packet_kind kind, uint64_t ip)
{
    struct packet packet = {.kind = kind};
    packet.ip_bytes = (uint8_t)pt_ip_compress(&packet.ip, ip, last_ip);
    flush();
    put(&packet);
    last_ip = ip;
    nr_proven = nr_walk;
}

static void put_psb(uint64_t ip)
{
    flush();
    put_kind(PT_PACKET_PSB);
    last_ip = 0;
    put(&(struct packet){.kind = PT_PACKET_TSC, .tsc = 0x10000 + nr_walk});
    put_ip(PT_PACKET_FUP, ip);
    put(&(struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put(&(struct packet){.kind = PT_PACKET_MODE_TSX, .in_tx = in_transaction});
    put_kind(PT_PACKET_PSBEND);
    nr_calls = 0;
}

/* --- the walk --- */

static uint32_t branch_to(uint32_t to)
{
    put_ip(PT_PACKET_TIP, ip_of(to));
    return to;
}

static void call(uint32_t from)
{
    calls[next_call++ % CALLS] = from + 1;
    nr_calls += nr_calls < CALLS;
}

/* A RET to where its CALL was is a bit; each takes a CALL. */
static uint32_t leave(void)
{
    uint32_t to = draw(nr_code);
    bool compressed = false;
    if (nr_calls > 0) {
        nr_calls--;
        const uint32_t back = (uint32_t)calls[--next_call % CALLS];
        compressed = !unmatched || draw(4) != 0;
        to = compressed ? back : to;
    }
    if (compressed)
        put_bit(true);
    return compressed ? to : branch_to(to);
}

static void put_ptwrite(uint32_t at)
{
    const bool with_ip = draw(2) != 0;
    flush();
    put(&(struct packet){.kind = PT_PACKET_PTW, .payload = at, .ptw_bytes = 4, .fup_follows = with_ip});
    nr_proven = nr_walk;
    if (with_ip)
        put_ip(PT_PACKET_FUP, ip_of(at));
}

/* Execute the instruction. Returns the next one. */
static uint32_t step(uint32_t at)
{
    walk[nr_walk++] = ip_of(at);
    switch (code[at].kind) {
    case JCC: {
        const bool taken = draw(2) != 0;
        put_bit(taken);
        return taken ? code[at].target : at + 1;
    }
    case CALL:
        call(at);
        return code[at].target;
    case JMP:
        return code[at].target;
    case RET:
        return leave();
    case CALL_INDIRECT:
        call(at);
        return branch_to(draw(nr_code));
    case JMP_INDIRECT:
        return branch_to(draw(nr_code));
    case PTWRITE:
        put_ptwrite(at);
        return at + 1;
    case MOV_CR3:
        flush();
        put(&(struct packet){.kind = PT_PACKET_PIP, .cr3 = (uint64_t)draw(1000) << 12});
        nr_proven = nr_walk;
        return at + 1;
    default:
        return at + 1;
    }
}

static void put_transaction(uint32_t at)
{
    in_transaction = !in_transaction;
    flush();
    put(&(struct packet){.kind = PT_PACKET_MODE_TSX, .in_tx = in_transaction});
    put_ip(PT_PACKET_FUP, ip_of(at));
}

static uint32_t abort_transaction(uint32_t at)
{
    in_transaction = false;
    flush();
    put(&(struct packet){.kind = PT_PACKET_MODE_TSX, .tx_abort = true});
    put_ip(PT_PACKET_FUP, ip_of(at));
    return branch_to(draw(nr_code));
}

static uint32_t interrupt(uint32_t at)
{
    put_ip(PT_PACKET_FUP, ip_of(at));
    if (draw(3) == 0)
        put(&(struct packet){.kind = PT_PACKET_PIP, .cr3 = 0x5000});
    return branch_to(draw(nr_code));
}

/* An overflow: what was executed since the last packet is lost. */
static uint32_t overflow(void)
{
    const uint32_t to = draw(nr_code);
    flush();
    nr_walk = nr_proven;
    put_kind(PT_PACKET_OVF);
    in_transaction = false;
    nr_calls = 0;
    last_ip = 0;
    put_ip(PT_PACKET_FUP, ip_of(to));
    return to;
}

static uint32_t pause_tracing(uint32_t at)
{
    const uint32_t to = draw(2) ? at : draw(nr_code);
    put_ip(PT_PACKET_FUP, ip_of(at));
    put_ip(PT_PACKET_TIP_PGD, ip_of(at));
    if (draw(2))
        put_kind(PT_PACKET_TRACESTOP);
    put(&(struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put_ip(PT_PACKET_TIP_PGE, ip_of(to));
    nr_calls = 0;
    return to;
}

/* Now and then something else happens before an instruction. Returns the one that is next. */
static uint32_t happen(uint32_t at)
{
    switch (draw(200)) {
    case 0:
        return interrupt(at);
    case 1:
        return overflow();
    case 2:
        return in_transaction ? at : pause_tracing(at);
    case 3:
    case 4:
        if (in_transaction && draw(3) == 0)
            return abort_transaction(at);
        put_transaction(at);
        return at;
    case 5:
        flush();
        put(&(struct packet){.kind = PT_PACKET_CBR, .payload = 1 + draw(60)});
        return at;
    case 6:
        put_psb(ip_of(at));
        return at;
    case 7:
        flush();
        put_kind(PT_PACKET_PAD);
        return at;
    default:
        return at;
    }
}

static FILE *open_part(const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s.%s", name, suffix);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

int main(int argc, char **argv)
{
    unmatched = argc == 4 && !strcmp(argv[3], "unmatched");
    if (argc != 3 && !unmatched) {
        fprintf(stderr, "usage: foreign_make SEED NAME [unmatched]\n");
        return 1;
    }
    random_state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15ull + 1;
    tnt = (struct packet){.kind = PT_PACKET_TNT_8};
    trace = open_part(argv[2], "pt");
    FILE *image = open_part(argv[2], "bin"), *list = open_part(argv[2], "walk");
    plan_code();
    write_code(image);
    uint32_t at = draw(nr_code);
    put_psb(ip_of(at));
    while (nr_walk < STEPS)
        at = step(happen(at));
    put_ip(PT_PACKET_FUP, ip_of(at));
    put_ip(PT_PACKET_TIP_PGD, ip_of(at));
    for (uint32_t i = 0; i < nr_walk; i++)
        fprintf(list, "%016" PRIx64 "\n", walk[i]);
    return fclose(image) || fclose(list) || fclose(trace);
}
