/*
 * Soft PT judged by libipt: a random program of near and far branches in code of all sizes, with events, MOV to CR3 and
 * pauses, is executed a step at a time; libipt's instruction decoder, which has the packets and the code, must find the
 * instructions and events that there were, each with its mode and CR3, from each PSB on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <intel-pt.h>

#include "tests/unit/pt/soft/soft_fixture.h"
#include "tests/unit/pt/soft/soft_program.h"

#define NR_STEPS 5000u
#define NR_SEEDS 40u
#define CR3_UNKNOWN UINT64_MAX

/* An instruction that was executed, or where an event came instead. */
struct entry {
    uint64_t ip, cr3;
    enum pt_exec_mode mode;
    bool event;
};

struct entries {
    size_t nr;
    struct entry list[NR_STEPS];
};

struct flow_world {
    struct soft_fixture *f;
    struct program program;
    uint64_t ctl;
    struct entries done, decoded;
};

static void entry_add(struct entries *entries, struct entry entry)
{
    assert_true(entries->nr < NR_STEPS);
    entries->list[entries->nr++] = entry;
}

/* --- execution -------------------------------------------------------------------------------------------------------
 */

/* ContextEn, as "Packet Generation Enable Controls" (36.2.5) has it. */
static bool traced(const struct flow_world *w, const struct soft_context *at)
{
    return (w->ctl & (at->user ? RTIT_CTL_USER : RTIT_CTL_OS)) &&
           (!(w->ctl & RTIT_CTL_CR3_FILTER) || at->cr3 == 0x5000);
}

/* libipt treats a software interrupt as an event, since it has a FUP. */
static void note(struct flow_world *w, const struct soft_context *at, const struct outcome *outcome)
{
    const bool event = outcome->event || instruction_is_interrupt(&outcome->instruction);

    if (traced(w, at) && (!event || traced(w, &outcome->to)))
        entry_add(&w->done, (struct entry){.ip = at->ip,
                                           .cr3 = w->ctl & RTIT_CTL_OS ? at->cr3 : CR3_UNKNOWN,
                                           .mode = at->cs_l   ? ptem_64bit
                                                   : at->cs_d ? ptem_32bit
                                                              : ptem_16bit,
                                           .event = event});
}

/* As the registers are read at a VM exit, and PacketByteCnt cleared where a region is new. */
static void pause_now_and_then(struct flow_world *w)
{
    if (program_draw(&w->program, 100))
        return;
    soft_pt_trace_off(&w->f->pt);
    if (program_draw(&w->program, 3) == 0)
        soft_pt_write(&w->f->pt, IA32_RTIT_STATUS, 0);
}

static void execute(struct flow_world *w)
{
    struct soft_fixture *f = w->f;

    f->at = program_anywhere(&w->program, 0x5000);
    soft_pt_write(&f->pt, IA32_RTIT_CR3_MATCH, 0x5000);
    soft_on(f, w->ctl, 0);
    for (unsigned step = 0; step < NR_STEPS; step++) {
        const struct outcome outcome = program_step(&w->program, f->at);

        pause_now_and_then(w);
        f->pt.tsc += 100;
        note(w, &f->at, &outcome);
        const bool guarded = soft_pt_guards(&f->pt, f->at.ip, f->at.ip, !f->at.user, f->at.user);
        if (!soft_pt_must_step(&f->pt, guarded, f->at.cr3)) /* the guest runs on unseen */
            f->at = outcome.to;
        else if (outcome.event)
            soft_event(f, outcome.to);
        else
            soft_step_to(f, &outcome.instruction, outcome.to);
    }
    soft_pt_trace_off(&f->pt);
    assert_int_equal(f->pt.status, 0);
}

/* --- libipt ----------------------------------------------------------------------------------------------------------
 */

static int code_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context)
{
    struct flow_world *w = context;
    const uint8_t *code;
    const size_t there = program_code(&w->program, ip, &code), nr = size < there ? size : there;

    (void)asid;
    if (nr == 0)
        return -pte_nomap;
    memcpy(buffer, code, nr);
    return (int)nr;
}

/* Returns the decoder's status. */
static int events_take(struct flow_world *w, struct pt_insn_decoder *decoder, int status, struct entry *now)
{
    while (status >= 0 && (status & pts_event_pending)) {
        struct pt_event event;

        status = pt_insn_event(decoder, &event, sizeof(event));
        assert_true(status >= 0);
        switch (event.type) {
        case ptev_async_branch:
            now->ip = event.variant.async_branch.from;
            now->event = true;
            entry_add(&w->decoded, *now);
            break;
        case ptev_paging:
            now->cr3 = event.variant.paging.cr3;
            break;
        case ptev_async_paging:
            now->cr3 = event.variant.async_paging.cr3;
            break;
        case ptev_exec_mode:
            now->mode = event.variant.exec_mode.mode;
            break;
        case ptev_overflow:
            fail();
            break;
        default:
            break;
        }
    }
    return status;
}

/* From this PSB to the end. */
static void decode_from(struct flow_world *w, struct pt_insn_decoder *decoder, uint64_t psb)
{
    struct entry now = {.cr3 = CR3_UNKNOWN};
    struct pt_insn insn;
    int status = pt_insn_sync_set(decoder, psb);

    w->decoded.nr = 0;
    assert_true(status >= 0);
    for (;;) {
        status = events_take(w, decoder, status, &now);
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        if (status == -pte_eos)
            break;
        if (status < 0)
            fail_msg("%s at %llx, %zu instructions after PSB %llx", pt_errstr(pt_errcode(status)),
                     (unsigned long long)insn.ip, w->decoded.nr, (unsigned long long)psb);
        assert_int_equal(insn.mode, now.mode);
        now.ip = insn.ip;
        now.event = false;
        entry_add(&w->decoded, now);
    }
}

/* What was decoded must be the last of what was done. With USER = 0, a PSB+ in user space has no PIP, nor has a far
 * branch into the kernel (row 10b). */
static void compare(const struct flow_world *w)
{
    const bool cr3_reported = w->ctl & RTIT_CTL_USER;

    assert_true(w->decoded.nr <= w->done.nr);
    const struct entry *done = w->done.list + (w->done.nr - w->decoded.nr);
    for (size_t i = 0; i < w->decoded.nr; i++) {
        const struct entry *decoded = &w->decoded.list[i];

        assert_int_equal(decoded->ip, done[i].ip);
        assert_int_equal(decoded->event, done[i].event);
        assert_int_equal(decoded->mode, done[i].mode);
        if (cr3_reported || decoded->cr3 != CR3_UNKNOWN)
            assert_int_equal(decoded->cr3, done[i].cr3);
    }
}

/* Returns the number of PSBs. */
static unsigned decode(struct flow_world *w)
{
    struct pt_config config;
    uint64_t psb;
    unsigned nr_psbs = 0;

    pt_config_init(&config);
    config.begin = w->f->regions;
    config.end = w->f->regions + soft_written(w->f);
    struct pt_insn_decoder *finder = pt_insn_alloc_decoder(&config), *decoder = pt_insn_alloc_decoder(&config);
    assert_non_null(finder);
    assert_non_null(decoder);
    assert_int_equal(pt_image_set_callback(pt_insn_get_image(decoder), code_read, w), 0);
    for (; pt_insn_sync_forward(finder) >= 0; nr_psbs++) {
        assert_int_equal(pt_insn_get_sync_offset(finder, &psb), 0);
        decode_from(w, decoder, psb);
        compare(w);
        if (nr_psbs == 0)
            assert_int_equal(w->decoded.nr, w->done.nr);
    }
    pt_insn_free_decoder(finder);
    pt_insn_free_decoder(decoder);
    return nr_psbs;
}

static void follow(void **state, uint64_t ctl)
{
    for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
        struct flow_world *w = calloc(1, sizeof(*w));

        assert_non_null(w);
        w->f = *state;
        w->ctl = ctl;
        program_make(&w->program, seed ^ ctl);
        execute(w);
        const unsigned nr_psbs = decode(w);
        /* It is about something. */
        assert_true(w->done.nr > NR_STEPS / 8);
        assert_true(nr_psbs > 2);
        free(w);
    }
}

static void all_is_followed(void **state)
{
    follow(state, CTL_DEFAULT | RTIT_CTL_TSC_EN);
}

static void without_compressed_returns(void **state)
{
    follow(state, CTL_DEFAULT | RTIT_CTL_DIS_RETC);
}

static void only_the_kernel(void **state)
{
    follow(state, CTL_DEFAULT & ~RTIT_CTL_USER);
}

static void only_user_mode(void **state)
{
    follow(state, CTL_DEFAULT & ~RTIT_CTL_OS);
}

static void only_one_address_space(void **state)
{
    follow(state, CTL_DEFAULT | RTIT_CTL_CR3_FILTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(all_is_followed), SOFT_TEST(without_compressed_returns), SOFT_TEST(only_the_kernel),
        SOFT_TEST(only_user_mode),  SOFT_TEST(only_one_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
