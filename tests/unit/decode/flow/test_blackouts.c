/* What an SMI leaves in a trace, and what looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/flow/blackouts.h"
#include "tests/unit/decode/engine/flow_fixture.h"

static void put_tsc(struct fixture *f, uint64_t tsc)
{
    put(f, (struct packet){.kind = PT_PACKET_TSC, .tsc = tsc});
}

/* As RSM sets TraceEn: SDM table, row 15b. */
static void put_resume(struct fixture *f, uint64_t tsc, uint64_t to)
{
    put_tsc(f, tsc);
    put(f, (struct packet){.kind = PT_PACKET_CBR, .payload = 20});
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put_ip(f, PT_PACKET_TIP_PGE, to);
}

static struct blackouts find(const struct fixture *f)
{
    static struct capture capture;
    struct blackouts found = {0};
    capture = (struct capture){.nr_cpus = 1};
    capture.cpus[0] = (struct capture_trace){true, f->trace, f->size};
    assert_true(blackouts_add(&found, &capture, 0, &(const struct flow_span){0, f->size}, 1));
    return found;
}

static void an_smi_is_one(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tsc(f, 1000);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    const uint64_t offset = f->size;
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    put_resume(f, 5000, CODE + 0x06);
    put_ip(f, PT_PACKET_TIP, CODE + 0x0b);
    put_off(f, CODE + 0x0b);
    start(f);
    const struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.blackouts, 1);
    struct blackouts found = find(f);
    assert_int_equal(found.count, 1); /* the end of the trace is none: it is not known what came after it */
    assert_int_equal(found.items[0].offset, offset);
    assert_int_equal(found.items[0].address, CODE + 0x06);
    assert_int_equal(found.items[0].from, 1000);
    assert_int_equal(found.items[0].to, 5000);
    assert_int_equal(blackout_ticks(&found.items[0]), 4000);
    blackouts_free(&found);
}

static void a_vm_exit_is_none(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tsc(f, 1000);
    put_exit(f, CODE);
    put_tsc(f, 9000);
    put_entry(f, CODE + 0x02);
    put_tnt(f, "!");
    put_off(f, CODE + 0x06);
    start(f);
    const struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.blackouts, 0);
    struct blackouts found = find(f);
    assert_int_equal(found.count, 0);
}

/* Where a filter suppresses the code that a branch leads to. */
static void a_branch_that_leaves_is_none(void **state)
{
    struct fixture *f = begin_code(state, CODE + 0x06);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD}); /* the JMP after the CALL */
    put_resume(f, 9000, CODE + 0x0b);
    put_off(f, CODE);
    start(f);
    assert_int_equal(decode(f, 0).blackouts, 0);
    struct blackouts found = find(f);
    assert_int_equal(found.count, 0);
}

static void other_switches_have_none(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    f->input.guest_only = true;
    put_off(f, CODE + 0x02);
    put_resume(f, 5000, CODE + 0x02);
    put_tnt(f, "!");
    put_off(f, CODE + 0x06);
    start(f);
    assert_int_equal(decode(f, 0).blackouts, 0);
}

static bool shown(const char *hello, const char *status)
{
    static struct capture capture;
    struct capture_record record = {.header = {.kind = RECORD_STATUS, .length = status ? (uint32_t)strlen(status) : 0},
                                    .payload = (const uint8_t *)status};
    capture = (struct capture){.hello = {hello, strlen(hello)}, .records = &record, .nr_records = status != NULL};
    return blackouts_are_shown(&capture, 0);
}

static void filters_hide_them(void **state)
{
    (void)state;
    assert_true(shown("pt_switch root\nrtit_ctl 0x250c\n", NULL));
    assert_true(shown("pt_switch root\nrtit_ctl 0x250c\n", "rtit_ctl 0x250c\n"));
    assert_false(shown("pt_switch list\nrtit_ctl 0x250c\n", NULL));
    assert_false(shown("rtit_ctl 0x250c\n", NULL));
    assert_false(shown("pt_switch root\nrtit_ctl 0x2508\n", NULL)); /* user mode only */
    assert_false(shown("pt_switch root\nrtit_ctl 0x258c\n", NULL)); /* one CR3 only */
    assert_false(shown("pt_switch root\nrtit_ctl 0x250c\n", "rtit_ctl 0x2504\n"));
    assert_false(shown("pt_switch root\nrtit_ctl 0x0\n", NULL)); /* pt=off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(an_smi_is_one),
        FLOW_TEST(a_vm_exit_is_none),
        FLOW_TEST(a_branch_that_leaves_is_none),
        FLOW_TEST(other_switches_have_none),
        cmocka_unit_test(filters_hide_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
