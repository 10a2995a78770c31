/* Lines of `undertrace dump`: the packets of Event Trace and Trigger Tracing, which no guest of ours makes and which
 * the libipt that dump_agrees.sh compares with does not know. Expected: what the ptdump of libipt 2.2 prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/report/dump_line.h"

#define K(k) .kind = PT_PACKET_##k

static void lines_read_as_ptdumps(void **state)
{
    static const struct {
        struct packet packet;
        const char *line;
    } rows[] = {
        {{K(MODE_EXEC), .cs_l = true}, "mode.exec  cs.l\n"},
        {{K(MODE_EXEC), .cs_l = true, .iflag = true}, "mode.exec  cs.l, if\n"},
        {{K(MODE_EXEC), .iflag = true}, "mode.exec  if\n"},
        {{K(CFE), .event_type = 1, .payload = 14, .fup_follows = true},
         "cfe        1: 14, ip                 type intr\n"},
        {{K(CFE), .event_type = 5, .payload = 0x9a}, "cfe        5: 9a                     type sipi\n"},
        {{K(CFE), .event_type = 2, .payload = 7}, "cfe        2                         type iret\n"},
        {{K(CFE), .event_type = 11}, "cfe        11                        type unknown\n"},
        {{K(CFE), .event_type = 31}, "cfe        31                        type unknown\n"},
        {{K(EVD), .event_type = 0, .payload = 0xffff800000001000}, "evd        0: ffff800000001000       type cr2\n"},
        {{K(EVD), .event_type = 3, .payload = 1}, "evd        3: 1                      type unknown\n"},
        {{K(TRIG), .payload = 5}, "trig       05\n"},
        {{K(TRIG), .payload = 5, .fup_follows = true, .more = true, .has_icnt = true, .icnt = 300},
         "trig       05, ip, mult, icnt: 300\n"},
        {{K(BBP), .event_type = 0x11, .ptw_bytes = 4}, "bbp        sz 4, type 11\n"},
        {{K(BIP), .event_type = 3, .payload = 0x1234}, "bip        id 03: 1234\n"},
        {{K(BEP), .fup_follows = true}, "bep        ip\n"},
        {{K(BEP)}, "bep\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[DUMP_LINE_MAX];
        size_t length = dump_line(line, 0x1000, &rows[i].packet);
        assert_memory_equal(line, "0000000000001000  ", 18);
        assert_string_equal(line + 18, rows[i].line);
        assert_int_equal(line[length], '\0');
        assert_int_equal(line[length - 1], '\n');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_read_as_ptdumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
