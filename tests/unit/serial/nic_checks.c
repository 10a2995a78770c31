#include "tests/unit/serial/nic_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct nic_card *card_of(uint32_t id, uint8_t revision)
{
    const struct nic_card *card;
    return nic_driver_of(id, revision, &card) ? card : NULL;
}

static struct nic_state read_state(const struct nic_check *check)
{
    struct nic_state state;
    check->nic->driver->read_state(&check->nic->access, check->card, &state);
    return state;
}

void check_read_state(const struct nic_check *check)
{
    void *const before = malloc(check->fake_bytes);
    assert_non_null(before);
    memcpy(before, check->fake, check->fake_bytes);
    const struct nic_state state = read_state(check);
    assert_true(state.link_up);
    assert_memory_equal(state.mac, check->mac, 6);
    assert_memory_equal(check->fake, before, check->fake_bytes);
    free(before);
    *check->link = false;
    assert_false(read_state(check).link_up);
    *check->dead = true;
    assert_false(read_state(check).link_up);
}
