/* Events as text. What the lines should be is what libipt's ptxed prints of the same events. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "decode/engine/flow_input.h"
#include "tests/judge/text/ptxed_line.h"

static void check(const struct flow_event *event, const struct ptxed_options *options, const char *should)
{
    char line[PTXED_LINE_MAX];
    assert_int_equal(ptxed_event_line(line, event, options), strlen(should));
    assert_string_equal(line, should);
}

#define CHECK(should, ...) check(&(struct flow_event){__VA_ARGS__}, &options, should)

static void addresses(void **state)
{
    (void)state;
    char line[PTXED_LINE_MAX];
    ptxed_address_line(line, 0xffffffff81000000, false);
    assert_string_equal(line, "ffffffff81000000\n");
    ptxed_address_line(line, 0x1000, true);
    assert_string_equal(line, "? 0000000000001000\n");
}

static void events(void **state)
{
    (void)state;
    const struct ptxed_options options = {0};
    CHECK("[enabled]\n", .kind = FLOW_EVENT_ENABLED, .ip_known = true, .ip = 1);
    CHECK("[resumed]\n", .kind = FLOW_EVENT_ENABLED, .flag = true);
    CHECK("[disabled]\n", .kind = FLOW_EVENT_LEFT);
    CHECK("[interrupt]\n", .kind = FLOW_EVENT_INTERRUPT);
    CHECK("[paging, cr3: 0000000000b00000, nr]\n", .kind = FLOW_EVENT_PAGING, .value = 0xb00000, .flag = true);
    CHECK("[exec mode: 64-bit]\n", .kind = FLOW_EVENT_MODE, .value = 2);
    CHECK("[begin transaction]\n", .kind = FLOW_EVENT_TSX, .value = FLOW_TSX_BEGUN);
    CHECK("", .kind = FLOW_EVENT_TSX, .value = FLOW_TSX_BEGUN, .flag = true);
    CHECK("[pwre c1.0 hw]\n", .kind = FLOW_EVENT_PWRE, .value = 0x0f80);
    CHECK("[pwrx int: c1 (c6)]\n", .kind = FLOW_EVENT_PWRX, .value = 0x105);
    CHECK("[mwait b 1]\n", .kind = FLOW_EVENT_MWAIT, .value = 0x10000000bull);
    CHECK("[vmexit, intr: 14, vmxr: 0000000000000002, vmxq: 0000000000000001]\n", .kind = FLOW_EVENT_CFE, .type = 9,
          .value = 14, .data_known = 6, .data = {0, 1, 2});
    CHECK("", .kind = FLOW_EVENT_CFE, .type = 30);
    CHECK("", .kind = FLOW_EVENT_IF, .value = 1, .flag = true);
    CHECK("[1e, 401002: error: no memory mapped at this address]\n", .kind = FLOW_EVENT_ERROR, .value = 0x1e,
          .ip = 0x401002, .error = FLOW_ERROR_NO_CODE);
}

static void more_of_events(void **state)
{
    (void)state;
    const struct ptxed_options options = {.event_ip = true, .event_time = true, .event_iflags = true};
    CHECK("[enabled, ip: 0000000000001000]\n", .kind = FLOW_EVENT_ENABLED, .ip_known = true, .ip = 0x1000);
    CHECK("[disabled, at: 0000000000001000]\n", .kind = FLOW_EVENT_LEFT, .from = 0x1000);
    CHECK("[00000000000000ff  interrupt, from: 0000000000001000, to: 0000000000002000]\n", .kind = FLOW_EVENT_INTERRUPT,
          .ip_known = true, .ip = 0x2000, .from = 0x1000, .tsc = 255);
    CHECK("[interrupts enabled]\n", .kind = FLOW_EVENT_IF, .value = 1, .flag = true);
    CHECK("", .kind = FLOW_EVENT_IF, .value = 1);
    CHECK("[trig 1a, mult, ip: 0000000000001000, icnt: 3]\n", .kind = FLOW_EVENT_TRIG, .value = 0x1a, .flag = true,
          .icnt = 3, .ip_known = true, .ip = 0x1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses), cmocka_unit_test(events),
                                       cmocka_unit_test(more_of_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
