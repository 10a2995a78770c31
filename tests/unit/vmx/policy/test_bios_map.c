/* vmx/policy/bios_map.c: what INT 15h answers about memory to a guest from a BIOS disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "vmx/policy/bios_map.h"

#define SMAP 0x534d4150u
#define MIB (1ull << 20)
#define NR_MAX 8u

static uint8_t bytes[NR_MAX * VMX_E820_ENTRY_SIZE];

static void entry_add(struct vmx_bios *bios, uint64_t start, uint64_t end, uint32_t type)
{
    uint8_t *entry = bytes + VMX_E820_ENTRY_SIZE * bios->nr_entries++;

    put64(entry, start);
    put64(entry + 8, end - start);
    put32(entry + 16, type);
    bios->entries = bytes;
}

/* 1 GiB, of which 10 MiB below the top are ours. */
static struct vmx_bios machine(void)
{
    struct vmx_bios bios = {.handler = 0xff859};

    entry_add(&bios, 0, 0x9f000, 1);
    entry_add(&bios, 0x9f000, 0xa0000, 2);
    entry_add(&bios, MIB, 0x3f400000, 1);
    entry_add(&bios, 0x3f400000, 0x3fe00000, 2);
    entry_add(&bios, 0x3fe00000, 0x3fff0000, 1);
    return bios;
}

static void all_entries(void **state)
{
    const struct vmx_bios bios = machine();
    struct bios_registers r = {.ebx = 0};
    const uint8_t *entry;
    uint32_t nr = 0;

    (void)state;
    do {
        r.eax = 0x1234e820; /* only AX counts */
        r.ecx = 24;
        r.edx = SMAP;
        assert_int_equal(bios_map_call(&r, &bios, &entry), BIOS_DONE);
        assert_ptr_equal(entry, bytes + VMX_E820_ENTRY_SIZE * nr);
        assert_int_equal(r.eax, SMAP);
        assert_int_equal(r.ecx, 20);
        assert_int_equal(r.edx, SMAP);
        nr++;
    } while (r.ebx != 0);
    assert_int_equal(nr, bios.nr_entries);
}

static void bad_calls(void **state)
{
    const struct vmx_bios bios = machine();
    const struct bios_registers bad[] = {{.eax = 0xe820, .ecx = 20, .edx = SMAP + 1},
                                         {.eax = 0xe820, .ecx = 19, .edx = SMAP},
                                         {.eax = 0xe820, .ebx = 5, .ecx = 20, .edx = SMAP},
                                         {.eax = 0xe820, .ebx = 0xffffffff, .ecx = 20, .edx = SMAP}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct bios_registers r = bad[i];
        const uint8_t *entry;

        assert_int_equal(bios_map_call(&r, &bios, &entry), BIOS_REFUSED);
        assert_null(entry);
        assert_int_equal(r.eax, 0x8620); /* AH: not supported */
        assert_int_equal(r.ebx, bad[i].ebx);
    }
}

static struct bios_registers call(const struct vmx_bios *bios, uint32_t eax)
{
    struct bios_registers r = {eax, 0x11110000, 0x22220000, 0x33330000};
    const uint8_t *entry;

    assert_int_equal(bios_map_call(&r, bios, &entry), BIOS_DONE);
    assert_null(entry);
    return r;
}

/* They end where our memory begins. */
static void sizes(void **state)
{
    const struct vmx_bios bios = machine();
    struct bios_registers r = call(&bios, 0x5555e801);

    (void)state;
    assert_int_equal(r.eax, 0x55553c00);
    assert_int_equal(r.ecx, 0x22223c00);
    assert_int_equal(r.ebx, 0x11113e40);
    assert_int_equal(r.edx, 0x33333e40);
    r = call(&bios, 0xe881);
    assert_int_equal(r.eax, 0x3c00);
    assert_int_equal(r.ebx, 0x3e40);
    assert_int_equal(call(&bios, 0x8800).eax, 0xfc00);
    assert_int_equal(call(&bios, 0x88ff).eax, 0xfc00);
}

static void small_and_split_memory(void **state)
{
    struct vmx_bios bios = {0};

    (void)state;
    entry_add(&bios, 6 * MIB, 9 * MIB, 1); /* adjoins the next, which comes later */
    entry_add(&bios, MIB, 6 * MIB, 1);
    entry_add(&bios, 9 * MIB, 10 * MIB, 2);
    entry_add(&bios, 10 * MIB, 64 * MIB, 1);
    assert_int_equal(call(&bios, 0xe801).eax, 8 * 1024);
    assert_int_equal(call(&bios, 0xe801).ebx, 0x11110000);
    assert_int_equal(call(&bios, 0x8800).eax, 8 * 1024);
    bios.nr_entries = 0;
    assert_int_equal(call(&bios, 0x8800).eax, 0);
}

static void large_memory(void **state)
{
    struct vmx_bios bios = {0};

    (void)state;
    entry_add(&bios, MIB, UINT64_MAX, 1);
    assert_int_equal(call(&bios, 0xe801).ebx, 0x1111ffff);
    assert_int_equal(call(&bios, 0xe881).edx, 0xffff);
}

/* Others that report memory are refused, all else is the BIOS's. */
static void other_functions(void **state)
{
    const struct vmx_bios bios = machine();
    static const uint32_t refused[] = {0xda88, 0x8a00, 0xc700};
    const uint8_t *entry;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bios_registers r = {.eax = refused[i]};

        assert_int_equal(bios_map_call(&r, &bios, &entry), BIOS_REFUSED);
        assert_int_equal(r.eax >> 8 & 0xff, 0x86);
    }
    for (uint32_t ax = 0; ax < 0x10000; ax++) {
        struct bios_registers r = {ax, 1, 2, 3};
        const uint32_t ah = ax >> 8;

        if (ax == 0xe820 || ax == 0xe801 || ax == 0xe881 || ax == 0xda88 || ah == 0x88 || ah == 0x8a || ah == 0xc7)
            continue;
        assert_int_equal(bios_map_call(&r, &bios, &entry), BIOS_PASS);
        assert_true(r.eax == ax && r.ebx == 1 && r.ecx == 2 && r.edx == 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_entries),  cmocka_unit_test(bad_calls),
        cmocka_unit_test(sizes),        cmocka_unit_test(small_and_split_memory),
        cmocka_unit_test(large_memory), cmocka_unit_test(other_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
