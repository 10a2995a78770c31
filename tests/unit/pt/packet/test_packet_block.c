/* Packets whose meaning depends on the block that they are in: PEBS records between BBP and BEP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pt/packet/packet.h"

/* Between BBP and BEP, what looks like a TNT is an item. Timing packets may occur there; a packet that cannot ends the
 * block. The kinds are those that perf's decoder reads. */
static void test_blocks(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x04,                                                   /* TNT */
                                    0x02, 0x63, 0x01, 0x04, 1, 2,    3, 4, 5,    6,   7, 8, /* BBP, item 0 */
                                    0x59, 0x12, 0x1c, 8,    7, 6,    5, 4, 3,    2,   1,    /* MTC, item 3 */
                                    0x02, 0xb3, 0x3d, 1,    2, 0x1c,                        /* BEP.IP, FUP, TNT */
                                    0x02, 0x63, 0x84, 0x0c, 1, 2,    3, 4, 0x08, 0x0c};     /* BBP, item, two TNTs */
    static const enum packet_kind kinds[] = {PT_PACKET_TNT_8, PT_PACKET_BBP, PT_PACKET_BIP,   PT_PACKET_MTC,
                                             PT_PACKET_BIP,   PT_PACKET_BEP, PT_PACKET_FUP,   PT_PACKET_TNT_8,
                                             PT_PACKET_BBP,   PT_PACKET_BIP, PT_PACKET_TNT_8, PT_PACKET_TNT_8};
    enum packet_block block = PACKET_BLOCK_NONE;
    struct packet packet;
    size_t at = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const int length = packet_parse_next(&packet, bytes + at, sizeof(bytes) - at, &block);
        assert_true(length > 0);
        assert_int_equal(packet.kind, kinds[i]);
        assert_int_equal(packet.size, length);
        at += (size_t)length;
    }
    assert_int_equal(at, sizeof(bytes));
    assert_int_equal(block, PACKET_BLOCK_NONE);
    assert_int_equal(packet_parse_block(&packet, bytes + 4, 8, PACKET_BLOCK_ITEMS_8), PT_PARSE_TRUNCATED);
    assert_int_equal(packet_parse_block(&packet, bytes + 4, 9, PACKET_BLOCK_ITEMS_8), 9);
    assert_int_equal(packet_parse_block(&packet, bytes, 0, PACKET_BLOCK_ITEMS_4), PT_PARSE_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
