/*
 * No address that the guest chooses becomes a pointer unless the guest has memory there. The code is the hypervisor's
 * own, vmx/guest/memory.c; the registers and the memory are the test's: random bytes, which serve as page tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/control.h"
#include "base/phys.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/walk.h"

#define RAM_BYTES (64u << 10)
#define TOP 0x140000000ull      /* above 4 GiB: 5 GiB */
#define OWN_START 0x30000000ull /* root's own memory */
#define OWN_END 0x31000000ull
#define ROUNDS 200000u

static struct guest_paging registers;
static uint64_t random_state = 1;
static uint8_t ram[RAM_BYTES]; /* the guest's memory repeats it */
static bool code_may_be_anywhere;

static uint64_t fake_vmreadn(enum vmcsn field)
{
    return field == VMCS_GUEST_CR0 ? registers.cr0 : field == VMCS_GUEST_CR4 ? registers.cr4 : registers.cr3;
}

static uint64_t fake_vmread64(enum vmcs64 field)
{
    (void)field;
    return registers.efer;
}

static bool is_own(uint64_t gpa)
{
    return gpa >= OWN_START && gpa < OWN_END;
}

/* As vmx/ept/ept.c: RAM ends at 3 GiB and continues at 4 GiB. */
static bool is_ram(uint64_t gpa)
{
    return (gpa < 0xc0000000 || (gpa >= 0x100000000 && gpa < TOP)) && !is_own(gpa);
}

static void *checked_phys_to_virt(uint64_t pa)
{
    assert_true(is_ram(pa) || (code_may_be_anywhere && pa < TOP && !is_own(pa)));
    return &ram[pa % RAM_BYTES];
}

#define phys_to_virt checked_phys_to_virt
#define vmreadn fake_vmreadn
#define vmread64 fake_vmread64
#include "vmx/guest/memory.c"
#undef phys_to_virt
#undef vmreadn
#undef vmread64

struct machine machine;

bool ept_is_memory(uint64_t gpa)
{
    return is_ram(gpa);
}

_Noreturn void vmcs_access_failed(uint32_t field)
{
    fail_msg("VMCS field %x is accessed", field);
    for (;;)
        ;
}

static uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Any number of bits, and often just below or above a boundary. */
static uint64_t random_address(void)
{
    static const uint64_t edges[] = {0, OWN_START, OWN_END, 0xc0000000, FOUR_GIB, TOP, 1ull << 44, 1ull << 52};
    const uint64_t random = random64();

    if (random & 1)
        return edges[random >> 1 & 7] + (random >> 8) % 0x3000 - 0x1000;
    return random64() >> (random >> 1 & 63);
}

static int reset(void **state)
{
    (void)state;
    machine.config.reserved = (struct range){OWN_START, OWN_END};
    machine.config.top_of_memory = TOP;
    code_may_be_anywhere = false;
    return 0;
}

static void ram_is_ram(void **state)
{
    (void)state;
    assert_ptr_equal(guest_ram(0x1234), &ram[0x1234]);
    assert_null(guest_ram(0xc0000000));
    assert_null(guest_ram(OWN_START));
    assert_null(guest_ram(TOP));
    assert_null(guest_ram((1ull << 44) + 0x1000));
    assert_null(guest_ram(UINT64_MAX));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint64_t gpa = random_address();

        assert_int_equal(guest_ram(gpa) != NULL, is_ram(gpa));
    }
}

static void ranges_lie_in_ram_to_their_end(void **state)
{
    (void)state;
    assert_non_null(guest_ram_range(0xc0000000 - 16, 16));
    assert_null(guest_ram_range(0xc0000000 - 16, 17));
    assert_null(guest_ram_range(OWN_START - 1, 2));
    assert_non_null(guest_ram_range(0xff8, 16));
    assert_null(guest_ram_range(UINT64_MAX - 3, 8));
}

/* Root maps the devices below 4 GiB as well, and nothing above memory. */
static void code_can_be_in_what_root_maps(void **state)
{
    (void)state;
    code_may_be_anywhere = true;
    assert_non_null(guest_page(0xfffff000));
    assert_null(guest_page(OWN_START));
    assert_null(guest_page(OWN_END - 1));
    assert_null(guest_page(TOP));
    machine.config.top_of_memory = 1u << 30;
    assert_non_null(guest_page(FOUR_GIB - 1));
    assert_null(guest_page(FOUR_GIB));
    assert_null(guest_page(8ull << 30));
}

/* Tables of random bytes, with and without the bits that are reserved; all paging modes. */
static void hostile_page_tables(void **state)
{
    uint32_t translated = 0;
    (void)state;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint8_t bytes[16];

        if (i % 64 == 0)
            for (size_t at = 0; at < sizeof ram; at += 8) {
                const uint64_t entry = (random_address() & ~0xfffull) | (random64() & 0xfff) | 1;
                memcpy(&ram[at], &entry, sizeof entry);
            }
        registers = (struct guest_paging){.cr0 = random64() & 7 ? CR0_PG : 0,
                                          .cr3 = random_address(),
                                          .cr4 = random64() & (CR4_PAE | CR4_PSE | CR4_PGE | CR4_LA57 | CR4_PCIDE),
                                          .efer = random64() & (EFER_LMA | EFER_NXE)};
        code_may_be_anywhere = true; /* the bytes that are copied */
        (void)guest_memory_read(bytes, random_address(), sizeof bytes);
        code_may_be_anywhere = false; /* tables */
        translated += guest_data_translate(random_address() & ~0xfffull, random_address()) != GUEST_STRETCH_NOWHERE;
        (void)guest_user_may_run(random_address());
    }
    assert_true(translated > ROUNDS / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ram_is_ram, reset),
        cmocka_unit_test_setup(ranges_lie_in_ram_to_their_end, reset),
        cmocka_unit_test_setup(code_can_be_in_what_root_maps, reset),
        cmocka_unit_test_setup(hostile_page_tables, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
