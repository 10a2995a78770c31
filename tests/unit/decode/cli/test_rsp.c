/* Packets of gdb's remote serial protocol: frames, checksums, acknowledgements, interrupts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/cli/gdb/rsp.h"

struct fixture {
    struct rsp rsp;
    int gdb; /* the other side */
};

static void open_fixture(struct fixture *f)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    f->rsp = (struct rsp){.in = sockets[0], .out = sockets[0]};
    f->gdb = sockets[1];
}

static void close_fixture(struct fixture *f)
{
    close(f->rsp.in);
    close(f->gdb);
}

static void say(const struct fixture *f, const char *text)
{
    assert_int_equal(write(f->gdb, text, strlen(text)), strlen(text));
}

static void hears(const struct fixture *f, const char *wanted)
{
    char text[256] = "";
    assert_int_equal(read(f->gdb, text, strlen(wanted)), strlen(wanted));
    assert_string_equal(text, wanted);
}

static void packets_are_acknowledged(void **state)
{
    struct fixture f;
    char packet[RSP_PACKET_SIZE + 1];
    (void)state;
    open_fixture(&f);
    say(&f, "+$m1000,4#8e$g#67");
    assert_true(rsp_receive(&f.rsp, packet));
    assert_string_equal(packet, "m1000,4");
    hears(&f, "+");
    assert_true(rsp_receive(&f.rsp, packet));
    assert_string_equal(packet, "g");
    hears(&f, "+");
    assert_true(rsp_send(&f.rsp, "OK"));
    hears(&f, "$OK#9a");
    close_fixture(&f);
}

static void a_damaged_packet_is_requested_again(void **state)
{
    struct fixture f;
    char packet[RSP_PACKET_SIZE + 1];
    (void)state;
    open_fixture(&f);
    say(&f, "$g#66$g#67");
    assert_true(rsp_receive(&f.rsp, packet));
    assert_string_equal(packet, "g");
    hears(&f, "-+");
    f.rsp.no_ack = true;
    say(&f, "$c#63");
    assert_true(rsp_receive(&f.rsp, packet));
    assert_true(rsp_send(&f.rsp, ""));
    hears(&f, "$#00"); /* and no acknowledgement before it */
    close_fixture(&f);
}

static void a_long_packet_is_cut(void **state)
{
    struct fixture f;
    char packet[RSP_PACKET_SIZE + 1], text[RSP_PACKET_SIZE + 100];
    (void)state;
    open_fixture(&f);
    memset(text, 'a', sizeof(text));
    text[0] = '$';
    text[sizeof(text) - 4] = '#';
    uint8_t sum = 0;
    for (size_t i = 1; i < sizeof(text) - 4; i++)
        sum = (uint8_t)(sum + 'a');
    text[sizeof(text) - 3] = "0123456789abcdef"[sum >> 4];
    text[sizeof(text) - 2] = "0123456789abcdef"[sum & 15];
    text[sizeof(text) - 1] = '\0';
    say(&f, text);
    assert_true(rsp_receive(&f.rsp, packet));
    assert_int_equal(strlen(packet), RSP_PACKET_SIZE);
    close_fixture(&f);
}

static void an_interrupt_is_noticed_without_waiting(void **state)
{
    struct fixture f;
    char packet[RSP_PACKET_SIZE + 1];
    (void)state;
    open_fixture(&f);
    assert_false(rsp_interrupted(&f.rsp));
    say(&f, "\003$c#63");
    assert_true(rsp_interrupted(&f.rsp));
    assert_false(rsp_interrupted(&f.rsp));
    assert_true(rsp_receive(&f.rsp, packet));
    assert_string_equal(packet, "c");
    close(f.gdb);
    f.gdb = -1;
    assert_false(rsp_receive(&f.rsp, packet));
    close(f.rsp.in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_acknowledged),
        cmocka_unit_test(a_damaged_packet_is_requested_again),
        cmocka_unit_test(a_long_packet_is_cut),
        cmocka_unit_test(an_interrupt_is_noticed_without_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
