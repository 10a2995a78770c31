/* The addresses of --announce-to. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decode/receive/announce.h"

static void addresses(void **state)
{
    struct sockaddr_in to;
    (void)state;
    assert_true(announce_parse(&to, "192.168.7.2", 21845));
    assert_int_equal(ntohl(to.sin_addr.s_addr), 0xc0a80702);
    assert_int_equal(ntohs(to.sin_port), 21845);
    assert_true(announce_parse(&to, "255.255.255.255:65535", 21845));
    assert_int_equal(ntohs(to.sin_port), 65535);
}

static void no_addresses(void **state)
{
    static const char *const texts[] = {"",
                                        "1.2.3",
                                        "1.2.3.4:",
                                        "1.2.3.4:0",
                                        "1.2.3.4:-1",
                                        "1.2.3.4:65536",
                                        "1.2.3.4:80x",
                                        "1.2.3.4: 80",
                                        ":80",
                                        "host",
                                        "1.2.3.4.5.6.7.8.9.10.11.12"};
    struct sockaddr_in to;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(announce_parse(&to, texts[i], 21845));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses), cmocka_unit_test(no_addresses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
