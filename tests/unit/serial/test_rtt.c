/* The retransmission timeout follows RFC 6298, computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/wire/rtt.h"

#define HZ 1000000u /* a tick is a microsecond */

static void the_first_sample(void **state)
{
    struct rtt rtt = rtt_make(HZ);

    (void)state;
    assert_int_equal(rtt.rto, 200000);
    rtt_sample(&rtt, 8000);
    assert_int_equal(rtt.srtt, 8000);
    assert_int_equal(rtt.rttvar, 4000);
    assert_int_equal(rtt.rto, 8000 + 4 * 4000);
    assert_int_equal(rtt.shortest, 8000);
}

static void later_samples(void **state)
{
    struct rtt rtt = rtt_make(HZ);

    (void)state;
    rtt_sample(&rtt, 8000);
    rtt_sample(&rtt, 16000);
    assert_int_equal(rtt.rttvar, 3 * 4000 / 4 + 8000 / 4);
    assert_int_equal(rtt.srtt, 7 * 8000 / 8 + 16000 / 8);
    assert_int_equal(rtt.rto, 9000 + 4 * 5000);
    assert_int_equal(rtt.shortest, 8000);
}

static void steady_samples_leave_the_granularity(void **state)
{
    struct rtt rtt = rtt_make(HZ);

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        rtt_sample(&rtt, 1000);
    }
    assert_int_equal(rtt.srtt, 1000);
    assert_int_equal(rtt.rto, 1000 + 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_sample),
        cmocka_unit_test(later_samples),
        cmocka_unit_test(steady_samples_leave_the_granularity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
