/*
 * Packets: bytes and meaning as the manual's tables give them, encoder against parser for every kind and payload, and
 * the errors. The vectors' meaning was compared with what perf's own packet test prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pt/packet/packet.h"

struct vector {
    struct packet packet;
    size_t size;
    uint8_t bytes[PT_PACKET_MAX_SIZE];
};

#define K(k) .kind = PT_PACKET_##k
static const struct vector vectors[] = {
    {{K(PAD)}, 1, {0x00}},
    {{K(TNT_8), .tnt_bits = 1, .tnt = 0}, 1, {0x04}},
    {{K(TNT_8), .tnt_bits = 1, .tnt = 1}, 1, {0x06}},
    {{K(TNT_8), .tnt_bits = 3, .tnt = 4}, 1, {0x18}},
    {{K(TNT_8), .tnt_bits = 6, .tnt = 0}, 1, {0x80}},
    {{K(TNT_8), .tnt_bits = 6, .tnt = 0x3f}, 1, {0xfe}},
    {{K(TNT_64), .tnt_bits = 1, .tnt = 0}, 8, {0x02, 0xa3, 0x02}},
    {{K(TNT_64), .tnt_bits = 1, .tnt = 1}, 8, {0x02, 0xa3, 0x03}},
    {{K(TNT_64), .tnt_bits = 47, .tnt = 0}, 8, {0x02, 0xa3, 0, 0, 0, 0, 0, 0x80}},
    {{K(TNT_64), .tnt_bits = 47, .tnt = 0x7fffffffffff}, 8, {0x02, 0xa3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {{K(TIP), .ip_bytes = 0}, 1, {0x0d}},
    {{K(TIP), .ip_bytes = 1, .ip = 0x201}, 3, {0x2d, 1, 2}},
    {{K(TIP), .ip_bytes = 2, .ip = 0x4030201}, 5, {0x4d, 1, 2, 3, 4}},
    {{K(TIP), .ip_bytes = 3, .ip = 0x60504030201}, 7, {0x6d, 1, 2, 3, 4, 5, 6}},
    {{K(TIP), .ip_bytes = 4, .ip = 0x60504030201}, 7, {0x8d, 1, 2, 3, 4, 5, 6}},
    {{K(TIP), .ip_bytes = 6, .ip = 0x807060504030201}, 9, {0xcd, 1, 2, 3, 4, 5, 6, 7, 8}},
    {{K(TIP_PGE), .ip_bytes = 0}, 1, {0x11}},
    {{K(TIP_PGE), .ip_bytes = 6, .ip = 0x807060504030201}, 9, {0xd1, 1, 2, 3, 4, 5, 6, 7, 8}},
    {{K(TIP_PGD), .ip_bytes = 0}, 1, {0x01}},
    {{K(TIP_PGD), .ip_bytes = 3, .ip = 0x60504030201}, 7, {0x61, 1, 2, 3, 4, 5, 6}},
    {{K(FUP), .ip_bytes = 0}, 1, {0x1d}},
    {{K(FUP), .ip_bytes = 1, .ip = 0x201}, 3, {0x3d, 1, 2}},
    {{K(PIP), .cr3 = 0x60504030201ull << 5}, 8, {0x02, 0x43, 0x02, 0x04, 0x06, 0x08, 0x0a, 0x0c}},
    {{K(PIP), .cr3 = 0x60504030201ull << 5, .non_root = true}, 8, {0x02, 0x43, 0x03, 0x04, 0x06, 0x08, 0x0a, 0x0c}},
    {{K(PIP), .cr3 = 0xfffffffffffe0, .non_root = true}, 8, {0x02, 0x43, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {{K(MODE_EXEC)}, 2, {0x99, 0x00}},
    {{K(MODE_EXEC), .cs_l = true}, 2, {0x99, 0x01}},
    {{K(MODE_EXEC), .cs_d = true}, 2, {0x99, 0x02}},
    {{K(MODE_EXEC), .cs_l = true, .iflag = true}, 2, {0x99, 0x05}},
    {{K(MODE_TSX)}, 2, {0x99, 0x20}},
    {{K(MODE_TSX), .in_tx = true}, 2, {0x99, 0x21}},
    {{K(MODE_TSX), .tx_abort = true}, 2, {0x99, 0x22}},
    {{K(TRACESTOP)}, 2, {0x02, 0x83}},
    {{K(CBR), .payload = 0x12}, 4, {0x02, 0x03, 0x12, 0x00}},
    {{K(TSC), .tsc = 0x7060504030201}, 8, {0x19, 1, 2, 3, 4, 5, 6, 7}},
    {{K(MTC), .payload = 0x12}, 2, {0x59, 0x12}},
    {{K(TMA), .tma_ctc = 0x201}, 7, {0x02, 0x73, 1, 2, 0, 0, 0}},
    {{K(TMA), .tma_ctc = 0xc080, .tma_fc = 0x1ff}, 7, {0x02, 0x73, 0x80, 0xc0, 0, 0xff, 0x01}},
    {{K(CYC), .cyc = 0}, 1, {0x03}},
    {{K(CYC), .cyc = 0x1f}, 1, {0xfb}},
    {{K(CYC), .cyc = 0x20}, 2, {0x07, 0x02}},
    {{K(CYC), .cyc = 0xfff}, 2, {0xff, 0xfe}},
    {{K(CYC), .cyc = 0x1000}, 3, {0x07, 0x01, 0x02}},
    {{K(CYC), .cyc = 0x2000000000000000}, 10, {0x07, 1, 1, 1, 1, 1, 1, 1, 1, 2}},
    {{K(CYC), .cyc = ~0ull}, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0e}},
    {{K(VMCS), .vmcs = 0x504030201000}, 7, {0x02, 0xc8, 1, 2, 3, 4, 5}},
    {{K(OVF)}, 2, {0x02, 0xf3}},
    {{K(PSB)}, 16, {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82}},
    {{K(PSBEND)}, 2, {0x02, 0x23}},
    {{K(MNT), .payload = 0x7060504030201}, 11, {0x02, 0xc3, 0x88, 1, 2, 3, 4, 5, 6, 7, 0}},
    {{K(PTW), .ptw_bytes = 4, .payload = 0x4030201}, 6, {0x02, 0x12, 1, 2, 3, 4}},
    {{K(PTW), .ptw_bytes = 8, .payload = 0x807060504030201}, 10, {0x02, 0x32, 1, 2, 3, 4, 5, 6, 7, 8}},
    {{K(PTW), .ptw_bytes = 4, .payload = 0x4030201, .fup_follows = true}, 6, {0x02, 0x92, 1, 2, 3, 4}},
    {{K(PTW), .ptw_bytes = 8, .payload = 1, .fup_follows = true}, 10, {0x02, 0xb2, 1}},
    {{K(EXSTOP)}, 2, {0x02, 0x62}},
    {{K(EXSTOP), .fup_follows = true}, 2, {0x02, 0xe2}},
    {{K(MWAIT), .payload = 0x8070607040302ff}, 10, {0x02, 0xc2, 0xff, 2, 3, 4, 7, 6, 7, 8}},
    {{K(PWRE), .payload = 0x3480}, 4, {0x02, 0x22, 0x80, 0x34}},
    {{K(PWRX), .payload = 0x504030201}, 7, {0x02, 0xa2, 1, 2, 3, 4, 5}},
    {{K(CFE), .event_type = 2}, 4, {0x02, 0x13, 0x02, 0}},
    {{K(CFE), .event_type = 1, .payload = 0x0e, .fup_follows = true}, 4, {0x02, 0x13, 0x81, 0x0e}},
    {{K(EVD), .event_type = 1, .payload = 0x807060504030201}, 11, {0x02, 0x53, 1, 1, 2, 3, 4, 5, 6, 7, 8}},
    {{K(TRIG), .payload = 0x11}, 3, {0xd9, 0, 0x11}},
    {{K(TRIG), .payload = 1, .has_icnt = true, .icnt = 0x201}, 5, {0xd9, 0x40, 1, 1, 2}},
    {{K(TRIG), .payload = 1, .fup_follows = true, .more = true}, 3, {0xd9, 0xa0, 1}},
    {{K(BBP), .event_type = 1, .ptw_bytes = 8}, 3, {0x02, 0x63, 0x01}},
    {{K(BBP), .event_type = 0x1f, .ptw_bytes = 4}, 3, {0x02, 0x63, 0x9f}},
    {{K(BIP), .event_type = 0, .ptw_bytes = 4, .payload = 0x4030201}, 5, {0x04, 1, 2, 3, 4}},
    {{K(BIP), .event_type = 0x1f, .ptw_bytes = 8, .payload = 0x807060504030201}, 9, {0xfc, 1, 2, 3, 4, 5, 6, 7, 8}},
    {{K(BEP)}, 2, {0x02, 0x33}},
    {{K(BEP), .fup_follows = true}, 2, {0x02, 0xb3}},
};
#define NR_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static void assert_same(const struct packet *a, const struct packet *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->ip_bytes, b->ip_bytes);
    assert_int_equal(a->tnt_bits, b->tnt_bits);
    assert_int_equal(a->payload, b->payload); /* every member of the union is as wide */
    assert_int_equal(a->tma_ctc, b->tma_ctc);
    assert_int_equal(a->tma_fc, b->tma_fc);
    assert_int_equal(a->non_root, b->non_root);
    assert_int_equal(a->cs_l, b->cs_l);
    assert_int_equal(a->cs_d, b->cs_d);
    assert_int_equal(a->iflag, b->iflag);
    assert_int_equal(a->in_tx, b->in_tx);
    assert_int_equal(a->tx_abort, b->tx_abort);
    assert_int_equal(a->fup_follows, b->fup_follows);
    assert_int_equal(a->ptw_bytes, b->ptw_bytes);
    assert_int_equal(a->event_type, b->event_type);
    assert_int_equal(a->has_icnt, b->has_icnt);
    assert_int_equal(a->more, b->more);
    assert_int_equal(a->icnt, b->icnt);
}

/* In which a packet of this kind is parsed. */
static enum packet_block block_of(const struct packet *packet)
{
    if (packet->kind != PT_PACKET_BIP)
        return PACKET_BLOCK_NONE;
    return packet->ptw_bytes == 4 ? PACKET_BLOCK_ITEMS_4 : PACKET_BLOCK_ITEMS_8;
}

static void test_vectors(void **state)
{
    (void)state;
    bool seen[PT_PACKET_NR_KINDS] = {false};
    for (size_t i = 0; i < NR_VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint8_t out[PT_PACKET_MAX_SIZE] = {0};
        struct packet parsed;
        assert_int_equal(packet_encode(out, &v->packet), v->size);
        assert_memory_equal(out, v->bytes, v->size);
        assert_int_equal(packet_parse_block(&parsed, v->bytes, v->size, block_of(&v->packet)), v->size);
        assert_int_equal(parsed.size, v->size);
        assert_same(&parsed, &v->packet);
        seen[v->packet.kind] = true;
    }
    for (int kind = 0; kind < PT_PACKET_NR_KINDS; kind++)
        assert_true(seen[kind]);
}

/* Each proper prefix of a packet is PT_PARSE_TRUNCATED; no byte after the prefix is read (ASan checks that). */
static void test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < NR_VECTORS; i++) {
        for (size_t size = 0; size < vectors[i].size; size++) {
            uint8_t *bytes = test_malloc(size + 1);
            struct packet packet;
            memcpy(bytes + 1, vectors[i].bytes, size);
            assert_int_equal(packet_parse_block(&packet, bytes + 1, size, block_of(&vectors[i].packet)),
                             PT_PARSE_TRUNCATED);
            test_free(bytes);
        }
    }
}

/* The bytes after a packet and their number do not matter: for each first byte, and each vector. */
static void assert_independent(const uint8_t *begin, size_t size)
{
    static const uint8_t following[] = {0x00, 0x02, 0x82, 0x5a, 0xff};
    for (size_t i = 0; i < sizeof(following); i++) {
        uint8_t bytes[3 * PT_PACKET_MAX_SIZE];
        memset(bytes, following[i], sizeof(bytes));
        memcpy(bytes, begin, size);
        struct packet parsed, followed;
        const int length = packet_parse(&followed, bytes, sizeof(bytes));
        if (length <= 0)
            continue;
        for (size_t room = (size_t)length; room < sizeof(bytes); room++) {
            assert_int_equal(packet_parse(&parsed, bytes, room), length);
            assert_memory_equal(&parsed, &followed, sizeof(parsed));
        }
    }
}

static void test_independent(void **state)
{
    (void)state;
    _Static_assert(sizeof(struct packet) == 32, "no byte of it is padding, and it is as long as two SSE registers");
    for (size_t i = 0; i < NR_VECTORS; i++)
        assert_independent(vectors[i].bytes, vectors[i].size);
    for (unsigned byte = 0; byte < 256; byte++)
        assert_independent(&(uint8_t){(uint8_t)byte}, 1);
}

static void test_unknown(void **state)
{
    (void)state;
    static const uint8_t bad[][PT_PACKET_MAX_SIZE] = {
        {0x05},
        {0x09},
        {0x15},
        {0x39}, /* no such header */
        {0xad, 1, 2},
        {0xed, 1, 2},
        {0xbd, 1, 2}, /* reserved IPBytes */
        {0x99, 0x40},
        {0x99, 0xe0}, /* no such MODE leaf */
        {0x02, 0x00},
        {0x02, 0x52},
        {0x02, 0xd2},
        {0x02, 0xc3, 0x87},                   /* no such extended packet; PTW of a reserved size */
        {0x02, 0x82, 0x02, 0x82, 0x02, 0x83}, /* a PSB that breaks off */
        {0x02, 0xa3, 0},                      /* TNT without a stop bit */
        {0x02, 0xa3, 1},                      /* TNT of no branch */
        {7, 1, 1, 1, 1, 1, 1, 1, 1, 0x10},    /* CYC beyond 64 bits */
        {7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct packet packet;
        assert_int_equal(packet_parse(&packet, bad[i], sizeof(bad[i])), PT_PARSE_UNKNOWN);
    }
}

static void test_encode_refuses(void **state)
{
    (void)state;
    static const struct packet bad[] = {
        {K(TNT_8), .tnt_bits = 0},   {K(TNT_8), .tnt_bits = 7}, {K(TNT_64), .tnt_bits = 0},
        {K(TNT_64), .tnt_bits = 48}, {K(TIP), .ip_bytes = 5},   {K(FUP), .ip_bytes = 7},
        {K(PTW), .ptw_bytes = 0},    {K(PTW), .ptw_bytes = 2},  {K(NR_KINDS)},
        {K(BBP), .ptw_bytes = 0},    {K(BIP), .ptw_bytes = 2},  {K(BIP), .ptw_bytes = 4, .event_type = 32},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint8_t out[PT_PACKET_MAX_SIZE];
        assert_int_equal(packet_encode(out, &bad[i]), 0);
    }
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* A packet of the kind with random fields, only those set that the kind has. */
static struct packet random_packet(enum packet_kind kind, uint64_t *seed)
{
    struct packet p = {.kind = kind};
    static const uint8_t ip_bits[] = {0, 16, 32, 48, 48, 0, 64};
    static const uint8_t payload_bits[PT_PACKET_NR_KINDS] = {
        [PT_PACKET_CBR] = 8,  [PT_PACKET_TSC] = 56,   [PT_PACKET_MTC] = 8,   [PT_PACKET_CYC] = 64,
        [PT_PACKET_MNT] = 64, [PT_PACKET_MWAIT] = 64, [PT_PACKET_PWRE] = 16, [PT_PACKET_PWRX] = 40,
        [PT_PACKET_CFE] = 8,  [PT_PACKET_EVD] = 64,   [PT_PACKET_TRIG] = 8,
    };
    uint64_t r = random_next(seed);
    if (payload_bits[kind])
        p.payload = r >> (64 - payload_bits[kind]) >> (random_next(seed) % payload_bits[kind]);
    if (kind == PT_PACKET_TNT_8 || kind == PT_PACKET_TNT_64) {
        p.tnt_bits = (uint8_t)(1 + r % (kind == PT_PACKET_TNT_8 ? 6 : 47));
        p.tnt = random_next(seed) & ((1ull << p.tnt_bits) - 1);
    } else if (kind >= PT_PACKET_TIP && kind <= PT_PACKET_FUP) {
        do
            p.ip_bytes = (uint8_t)(random_next(seed) % 7);
        while (p.ip_bytes == 5);
        p.ip = ip_bits[p.ip_bytes] ? r >> (64 - ip_bits[p.ip_bytes]) : 0;
    } else if (kind == PT_PACKET_PIP) {
        p.cr3 = r & 0xfffffffffffe0;
        p.non_root = r & 1;
    } else if (kind == PT_PACKET_MODE_EXEC) {
        p.cs_l = r & 1, p.cs_d = r >> 1 & 1, p.iflag = r >> 2 & 1;
    } else if (kind == PT_PACKET_MODE_TSX) {
        p.in_tx = r & 1, p.tx_abort = r >> 1 & 1;
    } else if (kind == PT_PACKET_TMA) {
        p.tma_ctc = (uint16_t)r, p.tma_fc = r >> 16 & 0x1ff;
    } else if (kind == PT_PACKET_VMCS) {
        p.vmcs = r & 0xffffffffff000;
    } else if (kind == PT_PACKET_PTW) {
        p.ptw_bytes = r & 1 ? 8 : 4, p.fup_follows = r >> 1 & 1;
        p.payload = random_next(seed) >> (p.ptw_bytes == 4 ? 32 : 0);
    } else if (kind == PT_PACKET_BBP || kind == PT_PACKET_BIP) {
        p.ptw_bytes = r & 1 ? 8 : 4, p.event_type = r >> 1 & 0x1f;
        if (kind == PT_PACKET_BIP)
            p.payload = random_next(seed) >> (p.ptw_bytes == 4 ? 32 : 0);
    } else if (kind == PT_PACKET_EXSTOP || kind == PT_PACKET_BEP) {
        p.fup_follows = r & 1;
    } else if (kind == PT_PACKET_CFE) {
        p.event_type = r & 0x1f, p.fup_follows = r >> 5 & 1;
    } else if (kind == PT_PACKET_EVD) {
        p.event_type = r & 0x3f;
    } else if (kind == PT_PACKET_TRIG) {
        p.fup_follows = r & 1, p.more = r >> 1 & 1, p.has_icnt = r >> 2 & 1;
        p.icnt = p.has_icnt ? (uint16_t)(r >> 3) : 0;
    }
    return p;
}

static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 0x243f6a8885a308d3;
    for (unsigned i = 0; i < 20000; i++) {
        struct packet p = random_packet((enum packet_kind)(i % PT_PACKET_NR_KINDS), &seed);
        struct packet parsed;
        uint8_t out[PT_PACKET_MAX_SIZE];
        size_t size = packet_encode(out, &p);
        assert_in_range(size, 1, PT_PACKET_MAX_SIZE);
        assert_int_equal(packet_parse_block(&parsed, out, size, block_of(&p)), size);
        assert_same(&parsed, &p);
    }
}

/* The parser takes any bytes: it never returns 0, nor a size beyond what it was given, and what it accepts encodes
 * again to a packet of the same meaning. */
static void test_any_bytes(void **state)
{
    (void)state;
    uint64_t seed = 0x13198a2e03707344;
    for (unsigned i = 0; i < 200000; i++) {
        uint8_t bytes[PT_PACKET_MAX_SIZE], out[PT_PACKET_MAX_SIZE];
        struct packet packet, again;
        for (size_t j = 0; j < sizeof(bytes); j++)
            bytes[j] = (uint8_t)random_next(&seed);
        if (i % 2)
            bytes[0] = 0x02;
        size_t size = 1 + i % sizeof(bytes);
        int n = packet_parse_block(&packet, bytes, size, (enum packet_block)(i / 2 % 3));
        assert_true(n == PT_PARSE_TRUNCATED || n == PT_PARSE_UNKNOWN || (n > 0 && (size_t)n <= size));
        if (n <= 0)
            continue;
        size_t m = packet_encode(out, &packet);
        assert_true(m != 0 && packet_parse_block(&again, out, m, block_of(&packet)) == (int)m);
        assert_same(&again, &packet);
    }
}

static void check_ip(uint64_t ip, uint64_t last_ip, enum pt_ip_bytes expected)
{
    uint64_t payload = 0, got = 0;
    assert_int_equal(pt_ip_compress(&payload, ip, last_ip), expected);
    assert_true(pt_ip_expand(&got, expected, payload, last_ip));
    assert_int_equal(got, ip);
}

static void test_ip_compression(void **state)
{
    (void)state;
    check_ip(0xffffffff81001234, 0xffffffff81001234, PT_IP_UPDATE_16);
    check_ip(0xffffffff81001234, 0xffffffff81009999, PT_IP_UPDATE_16);
    check_ip(0xffffffff81001234, 0xffffffff82009999, PT_IP_UPDATE_32);
    check_ip(0xffffffff81001234, 0, PT_IP_SEXT_48);
    check_ip(0x00007fff81001234, 0xffffffff81001234, PT_IP_SEXT_48);
    check_ip(0xffff800000000000, 0, PT_IP_SEXT_48);
    check_ip(0x0000800000000000, 0, PT_IP_UPDATE_48);
    check_ip(0xff11234567890abc, 0xff11ffffffffffff, PT_IP_UPDATE_48);
    check_ip(0xff11234567890abc, 0xff10ffffffffffff, PT_IP_FULL_64);
    check_ip(0x1000, 0, PT_IP_UPDATE_16);
    check_ip(0x100000, 0, PT_IP_UPDATE_32);

    uint64_t ip = 0x1234;
    assert_false(pt_ip_expand(&ip, PT_IP_SUPPRESSED, 0x99, 0));
    assert_int_equal(ip, 0x1234);
}

static void test_names(void **state)
{
    (void)state;
    for (int kind = 0; kind < PT_PACKET_NR_KINDS; kind++)
        assert_string_not_equal(packet_name((enum packet_kind)kind), "unknown");
    assert_string_equal(packet_name(PT_PACKET_TIP_PGE), "TIP.PGE");
    assert_string_equal(packet_name(PT_PACKET_NR_KINDS), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),   cmocka_unit_test(test_truncated),      cmocka_unit_test(test_independent),
        cmocka_unit_test(test_unknown),   cmocka_unit_test(test_encode_refuses), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_ip_compression), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
