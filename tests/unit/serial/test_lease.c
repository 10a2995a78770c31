/* When a lease is renewed: RFC 2131, section 4.4.5, with a clock of 1000 ticks per second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "serial/net/lease.h"

#define HZ 1000u

static struct lease start(uint32_t seconds, uint32_t t1, uint32_t t2, uint64_t asked)
{
    const struct dhcp dhcp = {.lease_seconds = seconds, .renew_seconds = t1, .rebind_seconds = t2};
    struct lease lease;

    lease_start(&lease, &dhcp, HZ, asked);
    return lease;
}

/* The next action is due at this second, and none before. */
static void next(struct lease *lease, enum lease_action action, uint64_t second)
{
    assert_int_equal(lease->due, second * HZ);
    assert_int_equal(lease_due(lease, lease->due - 1), LEASE_WAIT);
    assert_int_equal(lease_due(lease, second * HZ), action);
    assert_int_equal(lease->requested, second * HZ);
    assert_true(lease->due > second * HZ);
}

static void halves_down_to_a_minute(void **state)
{
    struct lease lease = start(800, 0, 0, 1000 * HZ);
    (void)state;
    next(&lease, LEASE_RENEW, 1400); /* half of it */
    next(&lease, LEASE_RENEW, 1550); /* half of the time left until 1700 */
    next(&lease, LEASE_RENEW, 1625);
    next(&lease, LEASE_RENEW, 1685); /* 37 s would be too soon */
    next(&lease, LEASE_REBIND, 1700);
    next(&lease, LEASE_REBIND, 1760);
    next(&lease, LEASE_ENDS, 1800);
    next(&lease, LEASE_REBIND, 1860); /* and so on, but reported only once */
    next(&lease, LEASE_REBIND, 1920);
}

static void the_servers_own_times(void **state)
{
    struct lease lease = start(800, 100, 600, 0);
    (void)state;
    next(&lease, LEASE_RENEW, 100);
    next(&lease, LEASE_RENEW, 350);
    lease = start(800, 600, 100, 0); /* T1 and T2 are inconsistent: the RFC's defaults apply */
    next(&lease, LEASE_RENEW, 400);
    lease = start(800, 100, 800, 0);
    next(&lease, LEASE_RENEW, 400);
    lease = start(800, 0, 600, 0);
    next(&lease, LEASE_RENEW, 400);
}

/* No poll for a while, for example because the guest was stopped. */
static void what_comes_late(void **state)
{
    struct lease lease = start(800, 0, 0, 0);
    (void)state;
    assert_int_equal(lease_due(&lease, 750 * HZ), LEASE_REBIND);
    assert_int_equal(lease.due, 800 * HZ);
    lease = start(800, 0, 0, 0);
    assert_int_equal(lease_due(&lease, 9000 * HZ), LEASE_ENDS);
    assert_int_equal(lease_due(&lease, 9000 * HZ), LEASE_WAIT);
    next(&lease, LEASE_REBIND, 9060);
}

static void what_needs_nothing(void **state)
{
    (void)state;
    assert_int_equal(start(DHCP_FOR_EVER, 0, 0, 0).due, LEASE_NEVER);
    assert_int_equal(start(0, 0, 0, 0).due, LEASE_NEVER);
    struct lease lease = start(800, 0, 0, 0);
    lease_lose(&lease);
    assert_int_equal(lease_due(&lease, UINT64_MAX), LEASE_WAIT);
}

/* The longest finite lease does not overflow with a fast TSC; the shortest is renewed at once. */
static void extremes(void **state)
{
    const struct dhcp dhcp = {.lease_seconds = DHCP_FOR_EVER - 1};
    struct lease lease;
    (void)state;
    lease_start(&lease, &dhcp, 6000000000u, 1);
    assert_true(lease.renew > 1 && lease.rebind > lease.renew && lease.end > lease.rebind);
    lease = start(1, 0, 0, 0);
    assert_int_equal(lease_due(&lease, 500), LEASE_RENEW);
    assert_int_equal(lease_due(&lease, 875), LEASE_REBIND);
    assert_int_equal(lease_due(&lease, 1000), LEASE_ENDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_down_to_a_minute),
        cmocka_unit_test(the_servers_own_times),
        cmocka_unit_test(what_comes_late),
        cmocka_unit_test(what_needs_nothing),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
