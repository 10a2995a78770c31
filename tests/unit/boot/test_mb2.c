/* The Multiboot2 information: valid tags are read, invalid ones are refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "boot/mb2.h"

static uint8_t buffer[16384];
static uint32_t used;

static void begin(void)
{
    memset(buffer, 0, sizeof buffer);
    used = 8;
}

static void add_tag(uint32_t type, const void *payload, uint32_t size)
{
    put32(buffer + used, type);
    put32(buffer + used + 4, 8 + size);
    memcpy(buffer + used + 8, payload, size);
    used += (8 + size + 7) & ~7u;
}

static void add_end(void)
{
    add_tag(0, "", 0);
    put32(buffer, used);
}

static void add_module(uint32_t start, uint32_t end, const char *line)
{
    uint8_t payload[128];
    put32(payload, start);
    put32(payload + 4, end);
    strcpy((char *)payload + 8, line);
    add_tag(3, payload, 8 + (uint32_t)strlen(line) + 1);
}

struct entry {
    uint64_t base, length;
    uint32_t type;
};

static void add_map(uint32_t entry_size, const struct entry *entries, unsigned nr)
{
    static uint8_t payload[8 + (MEMORY_MAP_MAX + 1) * 24];
    memset(payload, 0, sizeof payload);
    put32(payload, entry_size);
    for (unsigned i = 0; i < nr; i++) {
        uint8_t *at = payload + 8 + i * entry_size;
        put64(at, entries[i].base);
        put64(at + 8, entries[i].length);
        put32(at + 16, entries[i].type);
    }
    add_tag(6, payload, 8 + nr * entry_size);
}

static const struct entry small_map[] = {{0, 0x9f000, 1}, {0x100000, 0x1000000, 1}};

/* Parse a copy on the heap, so that the sanitizer detects reads beyond its end. */
static enum mb2_error parse(struct boot_info *info, size_t limit)
{
    uint8_t *exact = malloc(limit ? limit : 1);
    assert_non_null(exact);
    memcpy(exact, buffer, limit);
    enum mb2_error error = mb2_parse(info, exact, limit);
    free(exact);
    return error;
}

static void information_from_grub(void **state)
{
    static uint8_t rsdp_new[36] = {'R', 'S', 'D', ' ', 'P', 'T', 'R', ' ', [15] = 2};
    static uint8_t rsdp_old[20] = {'R', 'S', 'D', ' ', 'P', 'T', 'R', ' '};
    uint8_t fb[30] = {0}, efi[8];
    struct boot_info info;
    (void)state;
    begin();
    add_tag(1, "pt=off", 7);
    add_tag(2, "GRUB", 5);
    add_module(0x200000, 0x300000, "kernel console=ttyS0");
    add_module(0x300000, 0x300000, "initrd");
    add_map(24, small_map, 2);
    put64(fb, 0xfd000000);
    put32(fb + 8, 5120);
    put32(fb + 12, 1280);
    put32(fb + 16, 800);
    fb[20] = 32;
    fb[21] = 1;
    memcpy(fb + 24, (uint8_t[]){16, 8, 8, 8, 0, 8}, 6);
    add_tag(8, fb, 30);
    put64(efi, 0x1f000000);
    add_tag(12, efi, 8);
    add_tag(17, "\x30\0\0\0\1\0\0\0descriptor", 18);
    add_tag(15, rsdp_new, 36);
    add_tag(14, rsdp_old, 20);
    add_end();
    assert_int_equal(mb2_parse(&info, buffer, sizeof buffer), MB2_OK);
    assert_string_equal(info.line, "pt=off");
    assert_int_equal(info.nr_modules, 2);
    assert_int_equal(info.modules[0].range.start, 0x200000);
    assert_string_equal(mb2_module_rest(&info.modules[0], "kernel"), "console=ttyS0");
    assert_null(mb2_module_rest(&info.modules[0], "kern"));
    assert_null(mb2_module_rest(&info.modules[0], "initrd"));
    assert_string_equal(mb2_module_rest(&info.modules[1], "initrd"), "");
    assert_int_equal(info.map.nr, 2);
    assert_int_equal(info.map.ranges[1].range.end, 0x1100000);
    assert_int_equal(info.framebuffer.pitch, 5120);
    assert_int_equal(info.framebuffer.red_pos, 16);
    assert_int_equal(info.framebuffer.blue_size, 8);
    assert_int_equal(info.efi_system_table, 0x1f000000);
    assert_int_equal(info.efi_map.descriptor_size, 48);
    assert_int_equal(info.efi_map.descriptor_version, 1);
    assert_int_equal(info.efi_map.size, 10);
    assert_memory_equal(info.efi_map.bytes, "descriptor", 10);
    assert_int_equal(info.rsdp_size, 36);
    assert_memory_equal(info.rsdp, rsdp_new, 36);
    assert_int_equal(parse(&info, used), MB2_OK);
}

static void sizes(void **state)
{
    struct boot_info info;
    (void)state;
    begin();
    add_map(24, small_map, 2);
    add_end();
    for (uint32_t limit = 0; limit < used; limit++)
        assert_int_equal(parse(&info, limit), MB2_BAD_SIZE);
    put32(buffer, used - 8); /* without the end tag */
    assert_int_equal(parse(&info, used), MB2_NO_END);
    put32(buffer, used - 4);
    assert_int_equal(parse(&info, used), MB2_BAD_SIZE);
    put32(buffer, 8);
    assert_int_equal(parse(&info, used), MB2_BAD_SIZE);
    put32(buffer, 0xfffffff8);
    assert_int_equal(parse(&info, used), MB2_BAD_SIZE);
}

static void no_map(void **state)
{
    struct boot_info info;
    (void)state;
    begin();
    add_end();
    assert_int_equal(parse(&info, used), MB2_NO_MAP);
    begin();
    add_map(24, small_map, 0);
    add_end();
    assert_int_equal(parse(&info, used), MB2_NO_MAP);
}

static void bad_tags(void **state)
{
    struct boot_info info;
    (void)state;
    /* Each known tag, with every size that is too small. */
    static const struct {
        uint32_t type, min;
        enum mb2_error error;
    } tags[] = {{3, 9, MB2_TAG_TOO_SMALL},  {6, 8, MB2_TAG_TOO_SMALL},   {8, 23, MB2_TAG_TOO_SMALL},
                {12, 8, MB2_TAG_TOO_SMALL}, {14, 20, MB2_TAG_TOO_SMALL}, {15, 36, MB2_TAG_TOO_SMALL},
                {17, 8, MB2_TAG_TOO_SMALL}};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        for (uint32_t size = 0; size < tags[i].min; size++) {
            uint8_t zeros[64] = {0};
            begin();
            add_tag(tags[i].type, zeros, size);
            add_end();
            assert_int_equal(parse(&info, used), tags[i].error);
        }
    }
    begin();
    add_tag(1, "no end", 6);
    add_end();
    assert_int_equal(parse(&info, used), MB2_UNTERMINATED);
    begin();
    add_tag(9, "", 0);
    put32(buffer + 12, 7); /* smaller than its header */
    add_end();
    assert_int_equal(parse(&info, used), MB2_TAG_TOO_SMALL);
    put32(buffer + 12, 0xffffffff);
    assert_int_equal(parse(&info, used), MB2_TAG_OVERRUN);
    put32(buffer + 12, used - 8 + 1);
    assert_int_equal(parse(&info, used), MB2_TAG_OVERRUN);
    put32(buffer + 12, used - 8); /* it covers the end tag */
    assert_int_equal(parse(&info, used), MB2_NO_END);
}

static void bad_modules(void **state)
{
    struct boot_info info;
    (void)state;
    begin();
    add_module(0x3000, 0x2000, "kernel");
    add_end();
    assert_int_equal(parse(&info, used), MB2_BAD_MODULE);
    begin();
    for (unsigned i = 0; i <= BOOT_MAX_MODULES; i++)
        add_module(0x2000, 0x3000, "x");
    add_end();
    assert_int_equal(parse(&info, used), MB2_TOO_MANY_MODULES);
}

static void bad_maps(void **state)
{
    static struct entry entries[MEMORY_MAP_MAX + 1];
    struct boot_info info;
    (void)state;
    static const uint32_t sizes_refused[] = {0, 8, 20, 23, 25, 28};
    for (size_t i = 0; i < sizeof sizes_refused / sizeof sizes_refused[0]; i++) {
        begin();
        add_map(sizes_refused[i], small_map, 2);
        add_end();
        assert_int_equal(parse(&info, used), MB2_BAD_MAP);
    }
    for (unsigned i = 0; i <= MEMORY_MAP_MAX; i++)
        entries[i] = (struct entry){i * 0x2000ull, 0x1000, 1};
    begin();
    add_map(24, entries, MEMORY_MAP_MAX);
    add_end();
    assert_int_equal(parse(&info, used), MB2_OK);
    begin();
    add_map(24, entries, MEMORY_MAP_MAX + 1);
    add_end();
    assert_int_equal(parse(&info, used), MB2_MAP_FULL);

    /* Adjoining entries of one type are merged, larger entries are supported, and a range that wraps around is clamped.
     */
    const struct entry odd[] = {{0, 0x1000, 1}, {0x1000, 0x1000, 1}, {0x2000, 0, 2}, {0xfffffffffffff000, 0x2000, 2}};
    begin();
    add_map(32, odd, 4);
    add_end();
    assert_int_equal(parse(&info, used), MB2_OK);
    assert_int_equal(info.map.nr, 2);
    assert_int_equal(info.map.ranges[0].range.end, 0x2000);
    assert_true(info.map.ranges[1].range.end == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(information_from_grub),
        cmocka_unit_test(sizes),
        cmocka_unit_test(no_map),
        cmocka_unit_test(bad_tags),
        cmocka_unit_test(bad_modules),
        cmocka_unit_test(bad_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
