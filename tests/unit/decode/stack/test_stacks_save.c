/* Stacks that are saved and loaded continue as those that they were saved of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/stack/stacks_save.h"

#include "tests/unit/decode/stack/stacks_fixture.h"

/* Two CPUs of one machine. */
struct pair {
    struct stacks *of[2];
    const struct code_pages *pages[2];
    struct names_pages names_pages;
    struct stacks_set set;
};

static uint64_t user_of(void *context, uint32_t number)
{
    return *(const uint64_t *)context + number;
}

static void make_pair(struct pair *pair, const struct stacks_fixture *fixture, struct stacks *one, struct stacks *two)
{
    static uint64_t base = 100;
    *pair = (struct pair){.of = {one, two}, .pages = {&fixture->pages, &fixture->pages}};
    pair->names_pages = (struct names_pages){pair->pages, 2};
    pair->set = (struct stacks_set){pair->of, 2, fixture->names, &pair->names_pages, user_of, &base};
}

static void save(const struct pair *pair, struct pack *pack)
{
    struct stacks_codes codes[2] = {{0}, {0}};
    for (unsigned i = 0; i < 2; i++) {
        assert_true(stacks_can_save(pair->of[i]));
        stacks_save_codes(&codes[i], pair->of[i], pack);
        stacks_save_cpu(pair->of[i], pack);
        free(codes[i].codes);
    }
    stacks_save_pool(&pair->set, pack);
    assert_false(pack->no_memory);
}

static bool load(const struct pair *pair, const uint8_t *bytes, size_t size)
{
    struct packed packed = {.at = bytes, .end = bytes + size};
    for (unsigned i = 0; i < 2 && !packed.bad; i++)
        if (stacks_load_codes(pair->of[i], &packed))
            stacks_load_cpu(pair->of[i], &packed);
    return !packed.bad && stacks_load_pool(&pair->set, &packed) && packed.at == packed.end;
}

static void switch_from(struct stacks_fixture *fixture, uint64_t function, uint64_t to)
{
    CALL(function, SCHEDULE);
    CALL(SCHEDULE, SWITCH_ASM);
    JUMP(SWITCH_ASM, SWITCH_TO);
    stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, SWITCH_TO + 0x80, to);
}

/* A task runs in user mode, was interrupted, and a signal's handler is open; another one waits; a third one runs on the
 * other CPU; the first is in a thunk. */
static void before(struct stacks_fixture *fixture)
{
    CALL(WORK, READ);
    switch_from(fixture, READ, FORKED);
    FAR_RETURN(FORKED, USER_MAIN);
    CALL(USER_MAIN, USER_WORK);
    INTERRUPT(USER_WORK, IRQ);
    FAR_RETURN(IRQ, HANDLER);
    SYSCALL(HANDLER, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, WRITE);
    stacks_on(fixture, fixture->other, TRANSFER_CALL, KERNEL_MAIN + 0x10, KERNEL_WORK);
    CALL(WRITE, THUNK);
}

/* The thunk leads on; the signal's handler ends; the one that waits continues, on the CPU where the third one was. */
static void after(struct stacks_fixture *fixture)
{
    JUMP(THUNK, READ);
    RETURN(READ, WRITE);
    RETURN(WRITE, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, HANDLER + 0x12);
    SYSCALL(HANDLER, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK + 0x31);
    RETURN(USER_WORK, USER_MAIN);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, KERNEL_WORK + 0x80, KERNEL_MAIN + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_CALL, KERNEL_MAIN + 0x10, SCHEDULE);
    stacks_on(fixture, fixture->other, TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, SWITCH_ASM + 0x80, SCHEDULE + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, SCHEDULE + 0x80, READ + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, READ + 0x80, WORK + 0x15);
    INTERRUPT(USER_MAIN, IRQ);
    switch_from(fixture, IRQ, FORKED);
}

static struct stacks *open_like(struct stacks_fixture *fixture)
{
    return stacks_open(fixture->names, &fixture->pages, stacks_hooks_of(fixture));
}

static void they_continue_alike(void **state)
{
    struct stacks_fixture *fixture = *state;
    struct stacks *const one = fixture->stacks, *const two = fixture->other;
    struct pack pack = {0};
    struct pair pair;
    char wanted[sizeof(fixture->log)];
    before(fixture);
    const struct stacks_fixture now = *fixture;
    make_pair(&pair, fixture, one, two);
    save(&pair, &pack);
    fixture->log[0] = '\0';
    after(fixture);
    memcpy(wanted, fixture->log, sizeof(wanted));
    assert_non_null(strstr(wanted, "|1 -schedule -read ")); /* what follows is not trivial */
    const uint64_t branches = fixture->branches - now.branches, lost = fixture->lost_branches - now.lost_branches;

    *fixture = now;
    fixture->stacks = open_like(fixture);
    fixture->other = open_like(fixture);
    stacks_share(fixture->other, fixture->stacks);
    make_pair(&pair, fixture, fixture->stacks, fixture->other);
    assert_true(load(&pair, pack.bytes, pack.size));
    fixture->log[0] = '\0';
    after(fixture);
    stacks_heard(fixture, wanted);
    assert_int_equal(fixture->branches - now.branches, branches);
    assert_int_equal(fixture->lost_branches - now.lost_branches, lost);
    stacks_close(one);
    stacks_close(two);
    pack_free(&pack);
}

/* While it is not decided which task continues, stacks are not saved. */
static void not_while_undecided(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(WORK, READ);
    switch_from(fixture, READ, FORKED);
    assert_true(stacks_can_save(fixture->stacks));
    switch_from(fixture, FORKED, SCHEDULE + 0x15);
    assert_false(stacks_can_save(fixture->stacks));
    RETURN(SCHEDULE, READ);
    assert_true(stacks_can_save(fixture->stacks));
}

/* Cut anywhere, or with any byte changed, they are bad or are stacks. */
static void bad_bytes_do_no_harm(void **state)
{
    struct stacks_fixture *fixture = *state;
    struct pack pack = {0};
    struct pair pair;
    before(fixture);
    make_pair(&pair, fixture, fixture->stacks, fixture->other);
    save(&pair, &pack);
    for (size_t i = 0; i < 2 * pack.size; i++) {
        struct stacks *one = open_like(fixture), *two = open_like(fixture);
        const size_t at = i / 2;
        const uint8_t byte = pack.bytes[at];
        stacks_share(two, one);
        make_pair(&pair, fixture, one, two);
        if (i % 2 == 0) {
            assert_false(load(&pair, pack.bytes, at));
        } else {
            pack.bytes[at] = (uint8_t)(byte * 7 + 13);
            load(&pair, pack.bytes, pack.size);
            pack.bytes[at] = byte;
        }
        stacks_close(two);
        stacks_close(one);
    }
    pack_free(&pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {STACKS_TEST(they_continue_alike), STACKS_TEST(not_while_undecided),
                                       STACKS_TEST(bad_bytes_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
