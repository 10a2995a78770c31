/* The 16550 with registers in memory: its status when it hangs, or was removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/uart/uart.h"

#define THR 0
#define LSR 5

static uint8_t bytes[8];
static uint32_t words[8];

static void it_takes_and_has_bytes(void **state)
{
    (void)state;
    const struct uart uart = {.memory = bytes};
    uint8_t byte = 0;
    bytes[LSR] = 0x61; /* THRE, TEMT, DR */
    bytes[THR] = 'x';
    assert_true(uart_fifo_empty(&uart) && uart_idle(&uart) && uart_read(&uart, &byte));
    assert_int_equal(byte, 'x');
    assert_true(uart_put(&uart, 'y', false));
    assert_int_equal(bytes[THR], 'y');
    const struct uart wide = {.memory = words, .wide = true};
    words[LSR] = 0x20;
    assert_true(uart_fifo_empty(&wide) && !uart_idle(&wide) && !uart_read(&wide, &byte));
}

/* All zeros: it hangs, or the bridge above it forwards nothing. All ones: it was removed. There is no room and no byte.
 */
static void one_that_is_gone_takes_nothing(void **state)
{
    (void)state;
    const struct uart uart = {.memory = bytes};
    static const uint8_t statuses[] = {0x00, 0xff};
    for (size_t i = 0; i < sizeof(statuses); i++) {
        uint8_t byte = 'z';
        bytes[LSR] = statuses[i];
        bytes[THR] = 'a';
        assert_false(uart_fifo_empty(&uart));
        assert_false(uart_idle(&uart));
        assert_false(uart_read(&uart, &byte));
        assert_int_equal(byte, 'z');
        assert_false(uart_put(&uart, 'b', false));
        assert_false(uart_put(&uart, 'b', true)); /* returns */
        assert_int_equal(bytes[THR], 'a');
    }
}

/* Receive errors do not affect the transmitter. */
static void errors_of_the_line_do_not_matter(void **state)
{
    (void)state;
    const struct uart uart = {.memory = bytes};
    uint8_t byte;
    bytes[LSR] = 0xfb; /* all bits except for parity error, which cannot occur */
    assert_true(uart_fifo_empty(&uart) && uart_idle(&uart) && uart_read(&uart, &byte));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_and_has_bytes),
        cmocka_unit_test(one_that_is_gone_takes_nothing),
        cmocka_unit_test(errors_of_the_line_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
