/* The bridges above a network card, in PCI topologies of real machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/pci/pci_path.h"

#define BDF(bus, device, function) ((bus) << 8 | (device) << 3 | (function))

struct function {
    uint16_t bdf;
    uint8_t secondary; /* secondary bus number; 0: not a bridge */
};

struct tree {
    struct function functions[16];
};

static uint32_t read(void *context, uint16_t bdf, uint32_t offset)
{
    const struct tree *tree = context;
    for (unsigned i = 0; i < 16 && tree->functions[i].bdf; i++) {
        const struct function *f = &tree->functions[i];
        if (f->bdf != bdf)
            continue;
        if (offset == 0x0c)
            return (f->secondary ? 0x00010000u : 0) | 0x00800010u; /* multifunction, cache line size 64 */
        if (offset == 0x18)
            return f->secondary ? 0xff000000u | (uint32_t)f->secondary << 16 | (uint32_t)f->secondary << 8 | bdf >> 8
                                : 0xfebc0000u;
        return 0x15338086;
    }
    return 0xffffffff;
}

static struct pci_path path_of(const struct tree *tree, uint16_t bdf)
{
    struct pci_path path;
    pci_path_find(&path, read, (void *)(uintptr_t)tree, bdf);
    return path;
}

static void a_card_on_the_root_bus_has_none(void **state)
{
    (void)state;
    const struct tree tree = {{{BDF(0, 0x1f, 6), 0}, {BDF(0, 0x1c, 0), 1}}};
    const struct pci_path path = path_of(&tree, BDF(0, 0x1f, 6));
    assert_int_equal(path.nr, 0);
    assert_int_equal(path.nr_exclusive, 0);
}

/* Root ports of a board: below 1c.0 there is nothing, below 1c.4 the card. */
static void an_exclusive_port_can_be_hidden(void **state)
{
    (void)state;
    const struct tree tree = {
        {{BDF(0, 2, 0), 0}, {BDF(0, 0x1c, 0), 1}, {BDF(0, 0x1c, 4), 3}, {BDF(1, 0, 0), 0}, {BDF(3, 0, 0), 0}}};
    const struct pci_path path = path_of(&tree, BDF(3, 0, 0));
    assert_int_equal(path.nr, 1);
    assert_int_equal(path.bridges[0], BDF(0, 0x1c, 4));
    assert_int_equal(path.nr_exclusive, 1);
}

/* If function 0 were hidden, an OS would not search for 1c.4, above the disk. */
static void a_first_function_with_others_stays(void **state)
{
    (void)state;
    const struct tree tree = {{{BDF(0, 0x1c, 0), 3}, {BDF(0, 0x1c, 4), 4}, {BDF(3, 0, 0), 0}, {BDF(4, 0, 0), 0}}};
    const struct pci_path path = path_of(&tree, BDF(3, 0, 0));
    assert_int_equal(path.nr, 1);
    assert_int_equal(path.nr_exclusive, 0);
}

static void a_card_of_two_ports_keeps_its_bridge(void **state)
{
    (void)state;
    const struct tree tree = {{{BDF(0, 1, 0), 1}, {BDF(1, 0, 0), 0}, {BDF(1, 0, 1), 0}}};
    assert_int_equal(path_of(&tree, BDF(1, 0, 1)).nr_exclusive, 0);
}

/* A switch: the upstream port, and downstream ports on the bus below it, one of them above the card. */
static void of_a_switch_only_the_cards_port_can_vanish(void **state)
{
    (void)state;
    const struct tree tree = {{{BDF(0, 1, 0), 1},
                               {BDF(1, 0, 0), 2},
                               {BDF(2, 1, 0), 3},
                               {BDF(2, 2, 0), 4},
                               {BDF(3, 0, 0), 0},
                               {BDF(4, 0, 0), 0}}};
    const struct pci_path path = path_of(&tree, BDF(4, 0, 0));
    assert_int_equal(path.nr, 3);
    assert_int_equal(path.bridges[0], BDF(2, 2, 0));
    assert_int_equal(path.bridges[1], BDF(1, 0, 0));
    assert_int_equal(path.bridges[2], BDF(0, 1, 0));
    assert_int_equal(path.nr_exclusive, 1);
}

static void bus_numbers_that_make_no_sense_end_it(void **state)
{
    (void)state;
    const struct tree loop = {{{BDF(5, 0, 0), 5}, {BDF(5, 1, 0), 0}}}; /* a bridge whose secondary bus is its own */
    assert_int_equal(path_of(&loop, BDF(5, 1, 0)).nr, 0);
    const struct tree deep = {{{BDF(0, 1, 0), 1},
                               {BDF(1, 1, 0), 2},
                               {BDF(2, 1, 0), 3},
                               {BDF(3, 1, 0), 4},
                               {BDF(4, 1, 0), 5},
                               {BDF(5, 1, 0), 6},
                               {BDF(6, 1, 0), 7},
                               {BDF(7, 1, 0), 0}}};
    const struct pci_path path = path_of(&deep, BDF(7, 1, 0));
    assert_int_equal(path.nr, PCI_PATH_MAX);
    assert_int_equal(path.bridges[0], BDF(6, 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_on_the_root_bus_has_none),
        cmocka_unit_test(an_exclusive_port_can_be_hidden),
        cmocka_unit_test(a_first_function_with_others_stays),
        cmocka_unit_test(a_card_of_two_ports_keeps_its_bridge),
        cmocka_unit_test(of_a_switch_only_the_cards_port_can_vanish),
        cmocka_unit_test(bus_numbers_that_make_no_sense_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
