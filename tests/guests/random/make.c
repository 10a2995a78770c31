/* Random instructions: prefixes, an opcode, operands. The tables give the operands' form (SDM, Volume 2, Appendix A
 * "Opcode Map"), so that instructions follow one another and CPL 0 executes only what can be survived. */
#include "random.h"

/* m ModRM; b, z ModRM and an immediate of 8 bits, of the operand's size; g, G the same for Group 3, /0 and /1 only; i,
 * I an immediate; v MOV's, 64 bits with REX.W; w 16 bits; e ENTER's; f a far pointer; o an offset of the address's
 * size; r, R a relative branch; y no register operand; p a prefix; x not at CPL 0; 0, 3, A another map; - never. */
static const char map_1[] = "mmmmiI..mmmmiI.0mmmmiI..mmmmiI..mmmmiIp.mmmmiIp.mmmmiIp.mmmmiIp."  /* 00 to 3F */
                            "..................................mmppppIzibxxxxrrrrrrrrrrrrrrrr"  /* 40 to 7F */
                            "bzbbmmmmmmmmmmmm..........f.....oooo....iI......iiiiiiiivvvvvvvv"  /* 80 to BF */
                            "bbw.mmbze.w..i..mmmmii..mmmmmmmmrrrrxxxxRRfrxxxxp.ppx.gG......mm"; /* C0 to FF */
/* RDTSC (31H), RDPMC (33H), CPUID (A2H), RDRAND and RDSEED (C7H with a register) differ from run to run. */
static const char map_0f[] = "mxmm..x....m.m.bmmmmmmmmmmmmmmmmxxxx....mmmmmmmm" /* 00 to 2F */
                             "x-x-....3.A.....mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm" /* 30 to 5F */
                             "mmmmmmmmmmmmmmmmbbbbmmm.mmmmmmmmRRRRRRRRRRRRRRRR" /* 60 to 8F */
                             "mmmmmmmmmmmmmmmm..-mbm.....mbmmmmmmmmmmmmmbmmmmm" /* 90 to BF */
                             "mmbmbbby........mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm" /* C0 to EF */
                             "mmmmmmmmmmmmmmmm";                                /* F0 to FF */
_Static_assert(sizeof map_1 == 257 && sizeof map_0f == 257, "a form for each opcode");

uint64_t random_sequence;

/* xorshift64*, whose state is never 0. */
uint64_t random64(void)
{
    random_sequence ^= random_sequence >> 12;
    random_sequence ^= random_sequence << 25;
    random_sequence ^= random_sequence >> 27;
    return random_sequence * 0x2545f4914f6cdd1dull;
}

static struct {
    uint8_t *at;
    enum width width;
    uint32_t first_selector, nr_selectors;
    uint64_t data_at;
    bool privileged, wide_operand, wide_address; /* wide: 32 bits in 16-bit code and the other way around */
    bool rex_w;
} make;

static void put(uint64_t value, uint32_t bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *make.at++ = (uint8_t)value;
}

static bool operand_is_16(void)
{
    return (make.width == WIDTH_16) != make.wide_operand && !make.rex_w;
}

static bool address_is_16(void)
{
    return make.width != WIDTH_64 && (make.width == WIDTH_16) != make.wide_address;
}

/* A displacement: small, of the data, or any. */
static uint64_t displacement(void)
{
    switch (below(4)) {
    case 0:
        return random64();
    case 1:
        return make.data_at + below(NR_DATA_PAGES * PAGE);
    default:
        return below(256);
    }
}

static void put_modrm_16(uint8_t modrm)
{
    const uint8_t mod = modrm >> 6;

    put(modrm, 1);
    if (mod == 1)
        put(displacement(), 1);
    else if (mod == 2 || (mod == 0 && (modrm & 7) == 6))
        put(displacement(), 2);
}

/* SDM, Volume 2, "ModR/M and SIB Bytes". */
static void put_modrm(uint8_t modrm)
{
    const uint8_t mod = modrm >> 6;
    bool base_is_absent = false;

    if (address_is_16()) {
        put_modrm_16(modrm);
        return;
    }
    put(modrm, 1);
    if (mod != 3 && (modrm & 7) == 4) {
        const uint8_t sib = (uint8_t)random64();

        put(sib, 1);
        base_is_absent = mod == 0 && (sib & 7) == 5;
    }
    if (mod == 1)
        put(displacement(), 1);
    else if (mod == 2 || (mod == 0 && ((modrm & 7) == 5 || base_is_absent)))
        put(displacement(), 4);
}

static void put_prefixes(void)
{
    static const uint8_t prefixes[] = {0x66, 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};

    make.wide_operand = make.wide_address = make.rex_w = false;
    for (uint32_t n = below(4) ? 0 : 1 + below(2); n > 0; n--) {
        const uint8_t prefix = prefixes[below(sizeof prefixes)];

        make.wide_operand = make.wide_operand || prefix == 0x66;
        make.wide_address = make.wide_address || prefix == 0x67;
        put(prefix, 1);
    }
    if (make.width == WIDTH_64 && below(2)) {
        const uint8_t rex = 0x40 | (uint8_t)below(16);

        make.rex_w = (rex & 8) != 0;
        put(rex, 1);
    }
}

/* Where a branch leads: mostly a little ahead, so that code ends. */
static uint64_t distance(void)
{
    return below(8) ? below(24) : random64();
}

static void put_operands(char form, uint32_t opcode)
{
    const uint32_t word = operand_is_16() ? 2 : 4;
    const uint8_t modrm = (uint8_t)random64();

    switch (form) {
    case 'm':
    case '3':
    case 'b':
    case 'A':
    case 'z':
        put_modrm(modrm);
        put(random64(), form == 'z' ? word : form == 'b' || form == 'A');
        break;
    case 'y':
        put_modrm((modrm & 0xc0) == 0xc0 ? modrm & 0x7f : modrm);
        break;
    case 'g':
    case 'G':
        put_modrm(modrm);
        put(random64(), modrm & 0x30 ? 0 : form == 'g' ? 1 : word);
        break;
    case 'i':
    case 'r':
        put(form == 'r' ? distance() & 0x7f : random64(), 1);
        break;
    case 'I':
    case 'R':
        put(form == 'R' ? distance() : random64(), word);
        break;
    case 'v':
        put(random64(), make.rex_w ? 8 : word);
        break;
    case 'w':
    case 'e':
        put(below(64), 2);
        put(random64(), form == 'e');
        break;
    case 'f':
        put(displacement(), make.width == WIDTH_64 ? 0 : word);
        put(make.first_selector + below(make.nr_selectors) * 8, make.width == WIDTH_64 ? 0 : 2);
        break;
    case 'o':
        put(displacement(), make.width == WIDTH_64 ? (make.wide_address ? 4 : 8) : address_is_16() ? 2 : 4);
        break;
    default:
        if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) /* VEX and EVEX: no more is known of their length */
            put(random64(), 4);
    }
}

/* One instruction of any opcode that may be executed. */
static void put_instruction(void)
{
    uint8_t opcode = (uint8_t)random64();
    char form;

    put_prefixes();
    if (below(3) == 0) {
        do
            opcode = (uint8_t)random64();
        while ((form = map_0f[opcode]) == '-' || (form == 'x' && make.privileged));
        put(0x0f, 1);
        put(opcode, 1);
        if (form == '3' || form == 'A')
            put(random64(), 1);
        put_operands(form == 'x' ? 'm' : form, 0);
        return;
    }
    while ((form = map_1[opcode]) == '0' || form == 'p' || (form == 'x' && make.privileged) ||
           (make.width == WIDTH_64 && opcode >> 4 == 4))
        opcode = (uint8_t)random64();
    put(opcode, 1);
    put_operands(form, opcode);
}

/* What differs from run to run must not come about by a jump into an instruction either: clocks, and at CPL 0 ports
 * (E4H to E7H, ECH to EFH, 6CH to 6FH), of which some count (41H of the 8254). */
static void remove_clocks(void)
{
    for (uint8_t *at = run.code; at < make.at; at++) {
        if (make.privileged && ((at[0] & 0xf4) == 0xe4 || (at[0] & 0xfc) == 0x6c))
            at[0] = 0x90; /* NOP */
        if (at[0] != 0x0f)
            continue;
        if (at[1] == 0x31 || at[1] == 0x33 || at[1] == 0xa2 || (at[1] == 0xc7 && at[2] >= 0xc0) ||
            (at[1] == 1 && at[2] == 0xf9))
            at[1] = 0x0b; /* UD2 */
    }
}

bool byte_is_dangerous(uint8_t byte)
{
    return (byte & 0xf4) == 0xe4 || (byte & 0xfc) == 0x6c || byte == 0xf4 || byte == 0x0f;
}

/* Nor what would change the machine: HLT, and of the two-byte opcodes descriptor tables, control and debug registers,
 * caches, MSRs, SYSEXIT. */
static void remove_dangers(void)
{
    for (uint8_t *at = run.code; at < make.at; at++) {
        if (at[0] != 0x0f && byte_is_dangerous(at[0]))
            at[0] = 0x90;
        if (at[0] == 0x0f && (at[1] <= 1 || at[1] == 6 || at[1] == 8 || at[1] == 9 || at[1] >> 2 == 0x20 >> 2 ||
                              at[1] >> 3 == 0x30 >> 3))
            at[1] = 0x0b;
    }
}

void code_make(uint32_t first_selector, uint32_t nr_selectors, uint64_t data_at)
{
    run.number = 8 + below(MOST_INSTRUCTIONS - 8);
    make.at = run.code;
    make.width = run.width;
    make.privileged = run.cpl == 0;
    make.first_selector = first_selector;
    make.nr_selectors = nr_selectors;
    make.data_at = data_at;
    for (uint32_t i = 0; i < run.number; i++) {
        run.starts[i] = (uint16_t)(make.at - run.code);
        put_instruction();
    }
    run.starts[run.number] = (uint16_t)(make.at - run.code);
    remove_clocks();
    if (run.exposed)
        remove_dangers();
    for (uint32_t i = 0; i < 64; i++) /* also for those who jump a little too far */
        put(VECTOR_END << 8 | 0xcd, 2);
}
