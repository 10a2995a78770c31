/* A remapping unit as a guest has it that may only remap interrupts: which bits it reads, and which of its writes reach
 * the hardware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vtd/dmar_guest.h"
#include "vtd/dmar_registers.h"

static uint64_t value64(uint32_t offset, uint64_t value)
{
    return dmar_guest_value(offset, (uint32_t)value) | (uint64_t)dmar_guest_value(offset + 4, (uint32_t)(value >> 32))
                                                           << 32;
}

/* The capabilities of a unit of a server of today, and of one that has everything. */
static void test_capabilities(void **state)
{
    (void)state;
    const uint64_t cap = 0x08ed008c40780c66, ecap = 0x003ef9e86f050df;
    assert_int_equal(value64(DMAR_CAP, cap) >> 8 & 0x1f, 0); /* SAGAW */
    assert_int_equal(value64(DMAR_CAP, cap), 0x0800000040380006);
    assert_int_equal(DMAR_CAP_FAULTS_AT(value64(DMAR_CAP, cap)), DMAR_CAP_FAULTS_AT(cap));
    assert_int_equal(DMAR_CAP_NR_FAULTS(value64(DMAR_CAP, ~0ull)), 256);
    assert_int_equal(value64(DMAR_CAP, ~0ull) & (3u << 5 | 1u << 3), 0); /* protected memory, advanced fault logs */
    assert_int_equal(DMAR_ECAP_IOTLB_AT(value64(DMAR_ECAP, ecap)), DMAR_ECAP_IOTLB_AT(ecap));
    assert_int_equal(value64(DMAR_ECAP, ~0ull), 0xf3ff1b);
    assert_int_equal(value64(DMAR_ECAP, 0), 0);
}

/* Each bit of GSTS. */
static void test_status(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++)
        assert_int_equal(dmar_guest_value(DMAR_GSTS, 1u << bit), bit >= 23 && bit <= 27 ? 1u << bit : 0);
}

/* DMA remapping is off after every write, whatever else it commands. */
static void test_commands(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t value = 1u << bit;
        assert_true(dmar_guest_allows(DMAR_GCMD, &value));
        assert_int_equal(value, bit >= 23 && bit <= 27 ? 1u << bit : 0);
    }
    uint32_t value = 0xffffffff;
    assert_true(dmar_guest_allows(DMAR_GCMD, &value));
    assert_int_equal(value, 0x0f800000);
    value = 0; /* the queue and the interrupt table go off, too */
    assert_true(dmar_guest_allows(DMAR_GCMD, &value));
    assert_int_equal(value, 0);
}

static void test_registers(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset < 4096; offset += 4) {
        uint32_t value = 0xffffffff;
        const bool dropped = offset == DMAR_RTADDR || offset == DMAR_RTADDR + 4 || offset == DMAR_PMEN;
        assert_int_equal(dmar_guest_allows(offset, &value), !dropped);
        assert_int_equal(value, offset == DMAR_GCMD ? 0x0f800000 : 0xffffffff);
        const bool changed = (offset >= DMAR_CAP && offset < DMAR_GCMD) || offset == DMAR_GSTS;
        assert_int_equal(dmar_guest_value(offset, 0xffffffff) == 0xffffffff, !changed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
