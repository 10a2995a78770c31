/* Paths of files beside an EFI application's, and their device paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/efi/path.h"

/* Device paths as the firmware and GRUB make them: UEFI Specification 2.10, section 10.3. */
static uint8_t nodes[512];
static size_t used;

static void begin(void)
{
    memset(nodes, 0, sizeof nodes);
    used = 0;
}

static uint8_t *add(uint8_t type, uint8_t subtype, uint16_t length)
{
    uint8_t *node = nodes + used;

    node[0] = type;
    node[1] = subtype;
    put16(node + 2, length);
    used += length;
    return node;
}

static void add_file(const char *path)
{
    uint8_t *node = add(4, 4, (uint16_t)(4 + 2 * (strlen(path) + 1)));

    for (size_t i = 0; i <= strlen(path); i++)
        put16(node + 4 + 2 * i, (uint8_t)path[i]);
}

static void add_end(void)
{
    add(0x7f, 0xff, 4);
}

static void is_text(const uint8_t *ucs2, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++)
        assert_int_equal(read16(ucs2 + 2 * i), text[i]);
}

static void beside(void **state)
{
    uint8_t out[128];

    (void)state;
    begin();
    add_file("\\EFI\\BOOT\\BOOTX64.EFI");
    add_end();
    assert_true(path_beside(out, sizeof out, nodes, "a.cfg"));
    is_text(out, "\\EFI\\BOOT\\a.cfg");
    assert_false(path_beside(out, 41, nodes, "a.cfg")); /* its own path needs as much */
    assert_true(path_beside(out, 42, nodes, "a.cfg"));
    assert_false(path_beside(out, 42, nodes, "longer-name.cfg"));

    begin(); /* GRUB: the folder and the file in nodes of their own */
    add(1, 1, 6);
    add_file("\\boot");
    add_file("undertrace.efi");
    add_end();
    assert_true(path_beside(out, sizeof out, nodes, "a.cfg"));
    is_text(out, "\\boot\\a.cfg");

    begin();
    add_file("undertrace.efi");
    add_end();
    assert_true(path_beside(out, sizeof out, nodes, "a.cfg"));
    is_text(out, "\\a.cfg");

    begin(); /* a node that would never end */
    add(4, 4, 0);
    assert_false(path_beside(out, sizeof out, nodes, "a.cfg"));
}

static void of_file(void **state)
{
    uint8_t out[64];

    (void)state;
    begin();
    add(2, 1, 12)[4] = 0x77;
    add_end();
    assert_int_equal(path_of_file(out, sizeof out, nodes, "/EFI/a.efi", 10), 12 + 4 + 22 + 4);
    assert_memory_equal(out, nodes, 12);
    assert_memory_equal(out + 12, ((uint8_t[]){4, 4, 26, 0}), 4);
    is_text(out + 16, "\\EFI\\a.efi");
    assert_memory_equal(out + 38, ((uint8_t[]){0x7f, 0xff, 4, 0}), 4);
    assert_int_equal(path_of_file(out, 41, nodes, "/EFI/a.efi", 10), 0);
    put16(nodes + 2, 3);
    assert_int_equal(path_of_file(out, sizeof out, nodes, "/EFI/a.efi", 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beside), cmocka_unit_test(of_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
