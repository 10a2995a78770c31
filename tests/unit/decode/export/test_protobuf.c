/* The encoding of protobuf messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/export/protobuf.h"

/* The examples of protobuf.dev, "Encoding": field 1 with 150, field 2 with "testing", a message within. */
static void protobuf_is_as_its_manual_says(void **state)
{
    static const uint8_t expected[] = {0x08, 0x96, 0x01, 0x12, 7, 't',  'e',  's', 't',
                                       'i',  'n',  'g',  0x1a, 3, 0x08, 0x96, 0x01};
    struct protobuf message = {0}, within = {0};
    (void)state;
    protobuf_number(&message, 1, 150);
    protobuf_text(&message, 2, "testing");
    protobuf_number(&within, 1, 150);
    protobuf_message(&message, 3, &within);
    assert_int_equal(message.size, sizeof(expected));
    assert_memory_equal(message.bytes, expected, sizeof(expected));
    assert_false(message.cut);
    for (size_t i = 0; i < PROTOBUF_SIZE; i++)
        protobuf_number(&message, 1, UINT64_MAX);
    assert_true(message.cut);
    assert_true(message.size <= PROTOBUF_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(protobuf_is_as_its_manual_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
