/*
 * Switching on a remapping unit, against a fake that enforces the specification: Intel VT-d 4.1, sections 6.5.1
 * (register-based invalidation), 11.4.4 (one command at a time), 11.4.5, 11.4.7 (faults).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vtd/dmar_fault.h"
#include "vtd/dmar_start.h"

#define TES (1u << 31)
#define RTPS (1u << 30)
#define WBF (1u << 27)
#define QIE (1u << 26)
#define LASTING 0x96ffffffu

/* Capabilities: 4 levels, 39 bits, fault records at 200H (FRO 20H), 2 of them, draining; IOTLB registers at 100H (IRO
 * 10H), its command at 108H. */
#define CAP (0xc0000000000000ull | 1ull << 40 | 0x20ull << 24 | 38ull << 16 | 4 << 8 | 2)
#define ECAP (0x10ull << 8)
#define FAULTS_AT 0x200u

struct unit {
    uint64_t cap;
    uint32_t status;
    uint32_t low[0x400 / 4]; /* all registers, by doublewords */
    uint32_t slow;           /* delays until a command takes effect */
    uint32_t stuck;          /* GSTS bits that never change */
    bool ccmd_stuck, iotlb_stuck;
    /* pending */
    uint32_t pending_status, going, *pending_clear;
    bool contexts_fresh, iotlb_fresh, rooted;
    uint64_t root;
    unsigned flushes;
};

static void later(struct unit *u)
{
    if (u->going && --u->going > 0)
        return;
    u->status = (u->pending_status & ~u->stuck) | (u->status & u->stuck);
    if (u->pending_clear)
        *u->pending_clear &= ~(1u << 31);
    u->pending_clear = NULL;
}

static void command_begins(struct unit *u)
{
    assert_int_equal(u->going, 0);
    u->going = u->slow;
}

static uint32_t unit_read(void *context, uint32_t offset)
{
    const struct unit *u = context;
    assert_true(offset < 0x400 && offset % 4 == 0);
    switch (offset) {
    case 0x08:
        return (uint32_t)u->cap;
    case 0x0c:
        return (uint32_t)(u->cap >> 32);
    case 0x10:
        return (uint32_t)ECAP;
    case 0x14:
        return (uint32_t)(ECAP >> 32);
    case 0x1c:
        return u->status;
    default:
        return u->low[offset / 4];
    }
}

/* GCMD: one bit may differ from the persistent ones. */
static void take_command(struct unit *u, uint32_t value)
{
    const uint32_t changed = value ^ (u->status & LASTING);
    assert_int_equal(changed & (changed - 1), 0);
    u->pending_status = u->status;
    if (changed == RTPS) {
        u->root = (uint64_t)u->low[0x24 / 4] << 32 | u->low[0x20 / 4];
        u->rooted = true;
        u->contexts_fresh = u->iotlb_fresh = false;
        u->status &= ~RTPS; /* 11.4.4.2: clear until the command completes */
        u->pending_status |= RTPS;
    } else if (changed == WBF) {
        assert_true(u->cap & 1u << 4);
        u->flushes++;
        u->status |= WBF;
        u->pending_status = u->status & ~WBF;
    } else if (changed == TES && (value & TES)) {
        assert_true(u->rooted && u->contexts_fresh && u->iotlb_fresh);
        assert_false(u->status & QIE);
        u->pending_status |= TES;
    } else {
        assert_int_equal(changed, QIE);
        u->pending_status &= ~QIE;
    }
}

static void unit_write(void *context, uint32_t offset, uint32_t value)
{
    struct unit *u = context;
    assert_true(offset < 0x400 && offset % 4 == 0);
    switch (offset) {
    case 0x18:
        command_begins(u);
        take_command(u, value);
        break;
    case 0x2c: /* CCMD: all contexts */
        assert_int_equal(value & ~0u << 27, 1u << 31 | 1u << 29);
        assert_int_equal(u->low[0x28 / 4], 0);
        assert_false(u->status & QIE);
        command_begins(u);
        u->low[offset / 4] = value;
        u->contexts_fresh = true;
        u->pending_clear = u->ccmd_stuck ? NULL : &u->low[offset / 4];
        break;
    case 0x10c: /* IOTLB: everything, drained */
        assert_int_equal(value, 1u << 31 | 1u << 28 | 3u << 16);
        assert_true(u->contexts_fresh);
        command_begins(u);
        u->low[offset / 4] = value;
        u->iotlb_fresh = true;
        u->pending_clear = u->iotlb_stuck ? NULL : &u->low[offset / 4];
        break;
    case 0x34: /* FSTS: written ones clear */
        u->low[offset / 4] &= ~(value & 0x71u);
        break;
    case FAULTS_AT + 12:
    case FAULTS_AT + 28:
        u->low[offset / 4] &= ~(value & 1u << 31);
        if (!((u->low[(FAULTS_AT + 12) / 4] | u->low[(FAULTS_AT + 28) / 4]) & 1u << 31))
            u->low[0x34 / 4] &= ~2u; /* PPF */
        break;
    default:
        assert_true(offset == 0x20 || offset == 0x24 || offset == 0x28 || offset == 0x38 || offset == 0x108);
        u->low[offset / 4] = value;
    }
    if (u->going == 0 && u->slow == 0)
        later(u);
}

static void unit_wait(void *context, uint32_t us)
{
    assert_true(us > 0);
    later(context);
}

static struct unit a_unit(void)
{
    return (struct unit){.cap = CAP, .slow = 3};
}

static const char *start(struct unit *u)
{
    const struct dmar_access access = {unit_read, unit_write, unit_wait, u};
    u->pending_status = u->status;
    return dmar_unit_start(&access, 0x12345678000);
}

static void starting(void **state)
{
    (void)state;
    struct unit u = a_unit();
    assert_null(start(&u));
    assert_true(u.status & TES);
    assert_int_equal(u.root, 0x12345678000);
    assert_int_equal(u.flushes, 0);
    assert_int_equal(u.low[0x38 / 4], 1u << 31); /* fault interrupts are masked */
    u = a_unit();
    u.slow = 0;
    assert_null(start(&u));
    assert_true(u.status & TES);
}

static void leftovers_of_firmware(void **state)
{
    (void)state;
    struct unit u = a_unit();
    u.cap |= 1u << 4;
    u.status = QIE | RTPS;
    u.low[0x34 / 4] = 1 | 2 | 1u << 8;
    u.low[(FAULTS_AT + 12) / 4] = u.low[(FAULTS_AT + 28) / 4] = 1u << 31 | 5;
    assert_null(start(&u));
    assert_true(u.status & TES);
    assert_false(u.status & QIE);
    assert_true(u.flushes > 0);
    struct dmar_fault fault;
    const struct dmar_access access = {unit_read, unit_write, unit_wait, &u};
    assert_false(dmar_unit_fault(&access, &fault));
    assert_int_equal(u.low[0x34 / 4] & 3, 0);
}

static void every_step_can_fail(void **state)
{
    (void)state;
    static const uint32_t bits[] = {QIE, WBF, RTPS, TES};
    const char *reasons[6];
    unsigned nr = 0;
    for (unsigned i = 0; i < 4; i++) {
        struct unit u = a_unit();
        u.cap |= 1u << 4;
        u.status = bits[i] == QIE ? QIE : 0;
        u.stuck = bits[i];
        reasons[nr++] = start(&u);
        assert_false(u.status & TES);
    }
    struct unit u = a_unit();
    u.ccmd_stuck = true;
    reasons[nr++] = start(&u);
    u = a_unit();
    u.iotlb_stuck = true;
    reasons[nr++] = start(&u);
    for (unsigned i = 0; i < nr; i++) {
        assert_non_null(reasons[i]);
        for (unsigned k = 0; k < i && i < 5; k++)
            assert_string_not_equal(reasons[i], reasons[k]);
    }
}

static void faults_are_read(void **state)
{
    (void)state;
    struct unit u = a_unit();
    const struct dmar_access access = {unit_read, unit_write, unit_wait, &u};
    struct dmar_fault fault;
    assert_false(dmar_unit_fault(&access, &fault));
    /* A write by 00:05.0 as recorded by QEMU's unit. The second record is the oldest. */
    u.low[0x34 / 4] = 1u << 8 | 2;
    u.low[(FAULTS_AT + 16) / 4] = 0x0fc00000;
    u.low[(FAULTS_AT + 20) / 4] = 0x12;
    u.low[(FAULTS_AT + 24) / 4] = 0x28;
    u.low[(FAULTS_AT + 28) / 4] = 0x80ffff05;
    assert_true(dmar_unit_fault(&access, &fault));
    assert_int_equal(fault.requester, 0x28);
    assert_int_equal(fault.page, 0x120fc00000);
    assert_int_equal(fault.reason, 5);
    assert_false(fault.is_read);
    assert_false(dmar_unit_fault(&access, &fault));
    u.low[0x34 / 4] = 2;
    u.low[(FAULTS_AT + 8) / 4] = 0xa0ff;
    u.low[(FAULTS_AT + 12) / 4] = 0xc0000006;
    assert_true(dmar_unit_fault(&access, &fault));
    assert_true(fault.is_read && fault.reason == 6 && fault.requester == 0xa0ff);
}

static void no_unit(void **state)
{
    (void)state;
    struct unit u = a_unit();
    const struct dmar_access access = {unit_read, unit_write, unit_wait, &u};
    assert_true(dmar_unit_capabilities(&access) == CAP);
    u.cap = ~0ull;
    assert_true(dmar_unit_capabilities(&access) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting),
        cmocka_unit_test(leftovers_of_firmware),
        cmocka_unit_test(every_step_can_fail),
        cmocka_unit_test(faults_are_read),
        cmocka_unit_test(no_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
