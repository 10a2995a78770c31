/*
 * Control flow where the code changes, lies elsewhere or is missing: which bytes are taken for an address, and when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/code/code_alias.h"
#include "decode/report/cause_text.h"
#include "tests/unit/decode/engine/flow_fixture.h"

/* The guest changes its code: jz becomes jmp. Between the exit and the entry the new page is sent. */
static void a_page_changes_between_exit_and_entry(void **state)
{
    struct fixture *f = *state;
    uint8_t changed[sizeof(code)];
    add_code(f);
    memcpy(changed, code, sizeof(code));
    changed[2] = 0xeb;
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    uint64_t from = put_exit(f, CODE + 0x10);
    add_page(f, CODE, 0x200000, from, changed, sizeof(changed));
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_off(f, CODE + 0x10);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f,
           (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x00, 0x02, 0x06, 0x06, 0x10, 0x10, 0x00, 0x02, 0x06, 0x06, 0x10, -1});
}

/* A kernel at its load address, then at its own: one record, and a neighbour that gives the distance. */
static void code_is_found_at_another_address_of_its_memory(void **state)
{
    struct fixture *f = *state;
    add_page(f, 0x200000, 0x200000, 0, code, sizeof(code));
    add_page(f, CODE + 0x5000, 0x205000, 0, root_code, sizeof(root_code));
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, CODE);
    put_off(f, CODE);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x00, -1});
}

static void code_that_was_not_captured_is_an_error_there(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, 0x400000);
    put_tnt(f, "!");
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_off(f, CODE + 0x06);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_ERROR_NO_CODE);
    assert_int_equal(result.error_ip, 0x400000);
    assert_int_equal(result.branches, 3);
    assert_string_equal(flow_error_text(result.error), "no memory mapped at this address");
    /* The next stretch does not suffer. */
    assert_int_equal(decode(f, 1).error, 0);
}

/* A PSB directly after a jump into a page that is executed, and sent, only after it. */
static void the_boundary_may_be_code_that_comes_later(void **state)
{
    struct fixture *f = begin_code(state, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, 0x400000);
    put_psb(f, 0x400000, true);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.branches, 1);
    assert_int_equal(result.last_to, 0x400000);
}

static void aliases_need_a_large_page(void **state)
{
    static const struct page_record records[] = {
        {.gva = 0x19800000, .gpa = 0x19800000},
        {.gva = 0xffffffff82403000, .gpa = 0x19803000}, /* 2 MiB apart from the identity */
        {.gva = 0x401000, .gpa = 0x19804000},           /* no large page could do that */
        {.gva = 0x7fff12345000, .gpa = 0x5000},         /* another 2 MiB */
    };
    struct aliases aliases;
    (void)state;
    assert_true(aliases_find(&aliases, records, 4));
    assert_int_equal(aliases.items[0].gpa, 0x5000);
    const size_t i = 1; /* pairs are ordered by physical page */
    assert_int_equal(aliases.items[i].gpa, 0x19800000);
    assert_int_equal(aliases.items[i].gva, 0x19800000);
    assert_int_equal(aliases.items[i + 1].gpa, 0x19800000);
    assert_int_equal(aliases.items[i + 1].gva, 0xffffffff82400000);
    assert_int_equal(aliases.items[i + 2].gpa, 0x19803000);
    aliases_free(&aliases);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(a_page_changes_between_exit_and_entry),
        FLOW_TEST(code_is_found_at_another_address_of_its_memory),
        FLOW_TEST(code_that_was_not_captured_is_an_error_there),
        FLOW_TEST(the_boundary_may_be_code_that_comes_later),
        FLOW_TEST(aliases_need_a_large_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
