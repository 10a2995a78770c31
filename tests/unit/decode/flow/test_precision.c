/* How exact times are: the distance between the timing packets around packets that report branches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/flow/precision.h"
#include "pt/packet/packet.h"

struct made {
    struct capture capture;
    uint8_t bytes[4096];
    size_t size;
};

static void put(struct made *made, struct packet packet)
{
    const size_t size = packet_encode(made->bytes + made->size, &packet);
    assert_true(size > 0 && made->size + size <= sizeof(made->bytes));
    made->size += size;
}

static void put_tsc(struct made *made, uint64_t tsc)
{
    put(made, (struct packet){.kind = PT_PACKET_TSC, .tsc = tsc});
}

static void put_branches(struct made *made, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put(made, (struct packet){.kind = PT_PACKET_TNT_8, .tnt_bits = 1});
}

static struct made *begin(const char *hello)
{
    struct made *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    made->capture.hello = (struct record_text){hello, strlen(hello)};
    made->capture.nr_cpus = 2; /* the second one has no trace */
    put(made, (struct packet){.kind = PT_PACKET_PSB});
    put_tsc(made, 1000);
    put(made, (struct packet){.kind = PT_PACKET_PSBEND});
    return made;
}

static struct precision measure(struct made *made)
{
    made->capture.cpus[0] = (struct capture_trace){.present = true, .bytes = made->bytes, .size = made->size};
    return precision_of(&made->capture);
}

/* Six packets of ten within 1,000 ticks, three within 5,000, one within 100,000. */
static void packets_are_counted_and_not_times(void **state)
{
    (void)state;
    struct made *made = begin("");
    put_branches(made, 6);
    put_tsc(made, 2000);
    put_branches(made, 3);
    put_tsc(made, 7000);
    put_branches(made, 1);
    put_tsc(made, 107000);
    put_tsc(made, 99107000); /* a halt: no packet is in it */
    const struct precision precision = measure(made);
    assert_int_equal(precision.half, 1024);
    assert_int_equal(precision.tenths, 8192);
    char text[PRECISION_TEXT_SIZE];
    assert_string_equal(precision_text(text, &precision, 2000000),
                        "half of the branches within 512 ns, nine tenths within 4.1 us");
    assert_string_equal(precision_text(text, &precision, 1),
                        "half of the branches within 1024 ms, nine tenths within 8192 ms");
    assert_string_equal(precision_text(text, &precision, 0), "");
    free(made);
}

/* MTC packets count: the crystal's ticks are 10 of the TSC's, MTCFreq is 3. */
static void mtc_packets_make_times_finer(void **state)
{
    (void)state;
    struct made *made = begin("rtit_ctl 0xc600\ncpuid_15_eax 1\ncpuid_15_ebx 10\n");
    put(made, (struct packet){.kind = PT_PACKET_TMA, .tma_ctc = 0});
    for (unsigned i = 1; i <= 20; i++) {
        put_branches(made, 1);
        put(made, (struct packet){.kind = PT_PACKET_MTC, .payload = i});
    }
    const struct precision precision = measure(made);
    assert_int_equal(precision.half, 128);
    assert_int_equal(precision.tenths, 128);
    free(made);
}

static void without_timing_packets_nothing_is_known(void **state)
{
    (void)state;
    struct made *made = begin("");
    put_branches(made, 20);
    const struct precision precision = measure(made);
    char text[PRECISION_TEXT_SIZE];
    assert_int_equal(precision.half, 0);
    assert_int_equal(precision.tenths, 0);
    assert_string_equal(precision_text(text, &precision, 1000), "");
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packets_are_counted_and_not_times),
                                       cmocka_unit_test(mtc_packets_make_times_finer),
                                       cmocka_unit_test(without_timing_packets_nothing_is_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
