/* ACPI's SPCR tables of real boards, and unsupported ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/acpi/spcr.h"

static uint8_t table[80];

/* An interface type, and an address with its space, width in bits and access size. */
static struct uart_place place(uint8_t interface, uint8_t space, uint8_t width, uint8_t access, uint64_t address)
{
    memset(table, 0, sizeof table);
    table[36] = interface;
    table[40] = space;
    table[41] = width;
    table[43] = access;
    put64(table + 44, address);
    return spcr_read(table, sizeof table);
}

static void ports_and_memory(void **state)
{
    (void)state;
    struct uart_place p = place(0, 1, 8, 0, 0x3f8); /* a PC's first port */
    assert_int_equal(p.kind, UART_AT_PORT);
    assert_int_equal(p.at, 0x3f8);
    p = place(0x12, 0, 32, 3, 0xfe034000); /* a chipset's UART */
    assert_int_equal(p.kind, UART_IN_MEMORY32);
    assert_int_equal(p.at, 0xfe034000);
    p = place(0, 0, 8, 1, 0xfedc9000);
    assert_int_equal(p.kind, UART_IN_MEMORY);
}

static void unsupported(void **state)
{
    (void)state;
    assert_int_equal(place(3, 0, 32, 3, 0x9000000).kind, UART_NONE); /* an ARM's PL011 */
    assert_int_equal(place(0, 1, 8, 0, 0).kind, UART_NONE);          /* redirection is disabled */
    assert_int_equal(place(0, 1, 8, 0, 0x100003f8).kind, UART_NONE); /* not an I/O port address */
    assert_int_equal(place(0, 2, 8, 0, 0x10000).kind, UART_NONE);    /* in PCI configuration space */
    place(0, 1, 8, 0, 0x3f8);
    assert_int_equal(spcr_read(table, 58).kind, UART_NONE); /* truncated */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ports_and_memory), cmocka_unit_test(unsupported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
