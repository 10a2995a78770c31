/* vmx/exit/task_state.c: 16-bit TSSs, segment descriptors, and which segment a task may have where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/exit/task_state.h"
#include "vmx/guest/inject.h"

/* SDM Figure "32-Bit Task-State Segment (TSS)". */
_Static_assert(TASK_WIDE_AT + 4 * TASK_EIP == 0x20, "EIP");
_Static_assert(TASK_WIDE_AT + 4 * TASK_EAX == 0x28, "EAX");
_Static_assert(TASK_WIDE_AT + 4 * TASK_ESP == 0x38, "ESP");
_Static_assert(TASK_WIDE_AT + 4 * TASK_ES == 0x48, "ES");
_Static_assert(TASK_WIDE_AT + 4 * TASK_LDTR == 0x60, "LDT");
_Static_assert(TASK_WIDE_AT + 4 * TASK_TRAP == 0x64, "T");
_Static_assert(0x20 + TASK_WIDE_SAVED_BYTES == 0x5e, "after GS");
/* Figure "16-Bit TSS Format": DS and the LDT selector. */
_Static_assert(TASK_NARROW_AT + 2 * (TASK_DS - TASK_EIP) == 40, "DS");
_Static_assert(TASK_NARROW_AT + 2 * (NR_TASK_NARROW - 1) == 42, "LDT");
_Static_assert(TASK_NARROW_AT + TASK_NARROW_SAVED_BYTES == 42, "after DS");

static void narrow(void **state)
{
    (void)state;
    uint32_t fields[NR_TASK_FIELDS];
    uint16_t words[NR_TASK_NARROW];
    for (uint32_t i = 0; i < NR_TASK_NARROW; i++)
        words[i] = (uint16_t)(0x8100 + i);
    memset(fields, 0xaa, sizeof(fields));
    task_narrow_load(fields, words);
    assert_int_equal(fields[TASK_EIP], 0x8100);
    assert_int_equal(fields[TASK_EFLAGS], 0x8101);
    assert_int_equal(fields[TASK_EAX], 0xffff8102);
    assert_int_equal(fields[TASK_EAX + 7], 0xffff8109);
    assert_int_equal(fields[TASK_ES], 0x810a);
    assert_int_equal(fields[TASK_DS], 0x810d);
    assert_int_equal(fields[TASK_FS], 0);
    assert_int_equal(fields[TASK_GS], 0);
    assert_int_equal(fields[TASK_LDTR], 0x810e);
    assert_int_equal(fields[TASK_TRAP], 0);

    uint16_t saved[NR_TASK_NARROW] = {[NR_TASK_NARROW - 1] = 0x55};
    task_narrow_save(saved, fields);
    assert_memory_equal(saved, words, TASK_NARROW_SAVED_BYTES);
    assert_int_equal(saved[NR_TASK_NARROW - 1], 0x55); /* the LDT selector is not written */
}

static void descriptors(void **state)
{
    (void)state;
    struct task_segment segment;
    task_segment_of(&segment, 0x12cf9a345678ffff);
    assert_int_equal(segment.base, 0x12345678);
    assert_int_equal(segment.limit, 0xffffffff);
    assert_int_equal(segment.access_rights, 0xc09a);
    task_segment_of(&segment, 0x0001890100000067);
    assert_int_equal(segment.base, 0x10000);
    assert_int_equal(segment.limit, 0x10067);
    assert_int_equal(segment.access_rights, 0x89);
}

enum { P = 0x80, S = 0x10, CODE = 8, CONFORMING = 4, WRITE = 2, READ = 2, DPL3 = 0x60, LDT = 2 };

static void data_segments(void **state)
{
    (void)state;
    for (uint32_t field = TASK_DS; field <= TASK_GS; field++) {
        assert_int_equal(task_segment_fault(field, 8, 0, P | S), 0);
        assert_int_equal(task_segment_fault(field, 8, 0, P | S | CODE | READ), 0);
        assert_int_equal(task_segment_fault(field, 8, 0, P | S | CODE), VECTOR_TS);
        assert_int_equal(task_segment_fault(field, 8, 0, P | LDT), VECTOR_TS);
        assert_int_equal(task_segment_fault(field, 8, 0, S | WRITE), VECTOR_NP);
        assert_int_equal(task_segment_fault(field, 8, 3, P | S), VECTOR_TS);
        assert_int_equal(task_segment_fault(field, 11, 0, P | S), VECTOR_TS);
        assert_int_equal(task_segment_fault(field, 11, 3, P | S | DPL3), 0);
        assert_int_equal(task_segment_fault(field, 11, 3, P | S | CODE | READ), VECTOR_TS);
        assert_int_equal(task_segment_fault(field, 11, 3, P | S | CODE | READ | CONFORMING), 0);
        assert_int_equal(task_segment_fault(field, 11, 3, P | S | 4), VECTOR_TS); /* expands down, of ring 0 */
    }
}

static void stacks(void **state)
{
    (void)state;
    assert_int_equal(task_segment_fault(TASK_SS, 8, 0, P | S | WRITE), 0);
    assert_int_equal(task_segment_fault(TASK_SS, 11, 3, P | S | WRITE | DPL3), 0);
    assert_int_equal(task_segment_fault(TASK_SS, 8, 0, P | S), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_SS, 8, 0, P | S | CODE | READ), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_SS, 8, 0, S | WRITE), VECTOR_SS);
    assert_int_equal(task_segment_fault(TASK_SS, 8, 3, P | S | WRITE), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_SS, 11, 0, P | S | WRITE | DPL3), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_SS, 9, 0, P | S | WRITE), VECTOR_TS);
}

static void code_segments(void **state)
{
    (void)state;
    assert_int_equal(task_segment_fault(TASK_CS, 8, 0, P | S | CODE), 0);
    assert_int_equal(task_segment_fault(TASK_CS, 8, 0, S | CODE), VECTOR_NP);
    assert_int_equal(task_segment_fault(TASK_CS, 8, 0, P | S | WRITE), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_CS, 11, 3, P | S | CODE), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_CS, 11, 3, P | S | CODE | CONFORMING), 0);
    assert_int_equal(task_segment_fault(TASK_CS, 8, 0, P | S | CODE | DPL3), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_CS, 8, 0, P | S | CODE | CONFORMING | DPL3), VECTOR_TS);
}

static void local_tables(void **state)
{
    (void)state;
    assert_int_equal(task_segment_fault(TASK_LDTR, 8, 3, P | LDT), 0);
    assert_int_equal(task_segment_fault(TASK_LDTR, 8, 0, LDT), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_LDTR, 8, 0, P | S | WRITE), VECTOR_TS);
    assert_int_equal(task_segment_fault(TASK_LDTR, 8, 0, P | 9), VECTOR_TS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow),        cmocka_unit_test(descriptors),
                                       cmocka_unit_test(data_segments), cmocka_unit_test(stacks),
                                       cmocka_unit_test(code_segments), cmocka_unit_test(local_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
