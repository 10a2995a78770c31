/* Sleep types in AML as firmware compilers emit it, and in invalid AML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/acpi/sleep_types.h"

/* On the heap, so that the sanitizer detects reads beyond the end. */
static uint8_t find(const char *aml, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, aml, size);
    const uint8_t types = sleep_types_find(exact, (uint32_t)size);
    free(exact);
    return types;
}
#define FIND(aml) find(aml, sizeof(aml) - 1)

static void known(void **state)
{
    (void)state;
    /* Bochs and QEMU: S3 is 1, S4 0 or 2, S5 0. */
    assert_int_equal(FIND("\x08_S3_\x12\x06\x04\x01\x01\x00\x00\x08_S4_\x12\x06\x04\x00\x00\x00\x00\x08_S5_"
                          "\x12\x06\x04\x00\x00\x00\x00"),
                     1 << 1);
    /* Boards: S1 1, S3 5, S4 6, S5 7. */
    assert_int_equal(FIND("\x08_S1_\x12\x08\x04\x0a\x01\x00\x00\x00\x08_S3_\x12\x08\x04\x0a\x05\x00\x00\x00"
                          "\x08_S4_\x12\x08\x04\x0a\x06\x00\x00\x00\x08_S5_\x12\x08\x04\x0a\x07\x00\x00\x00"),
                     1 << 1 | 1 << 5);
    /* An absolute name, and a length of two bytes. */
    assert_int_equal(FIND("\x08\\_S3_\x12\x47\x00\x04\x0a\x05\x0a\x05\x00\x00"), 1 << 5);
    assert_int_equal(FIND("\x08_S2_\x12\x06\x04\x00\x00\x00\x00"), 1 << 0);
}

static void none(void **state)
{
    (void)state;
    assert_int_equal(FIND(""), 0);
    assert_int_equal(FIND("_S3"), 0);
    assert_int_equal(FIND("_S3_"), 0);
    assert_int_equal(FIND("\x08XS3_\x12\x08\x04\x0a\x05\x00\x00\x00"), 0); /* renamed by firmware */
    assert_int_equal(FIND("\x08_S3_\x14\x08\x04\x0a\x05\x00\x00\x00"), 0); /* a method */
    assert_int_equal(FIND("\x08_S3_\x12\x08\x00\x0a\x05\x00\x00\x00"), 0); /* no element */
    assert_int_equal(FIND("\x08_S3_\x12\x08\x04SS3_"), 0);                 /* a name, not a number */
    assert_int_equal(FIND("\x08_S4_\x12\x06\x04\x01\x00\x00\x00"), 0);
    const char whole[] = "\x08_S3_\x12\x08\x04\x0a\x05";
    for (size_t size = 0; size < sizeof whole - 1; size++)
        assert_int_equal(find(whole, size), 0);
    assert_int_equal(FIND(whole), 1 << 5);
}

static void noise(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        char aml[32];
        for (unsigned i = 0; i < sizeof aml; i++) {
            random = random * 1664525 + 1013904223;
            aml[i] = "_S3_\x12\x06\x04\x0a\xc0\x00\x01\xff"[(random >> 16) % 12];
        }
        (void)find(aml, random >> 8 & 31);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(none),
        cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
