/*
 * The engine on several CPUs: a PMI from NMI to rearming, what each CPU does with commands, what another CPU may do for
 * one that waits for its SIPI, the flush in steps.
 */
#include "tests/unit/pt/fake_engine.h"

static void a_pmi_is_served_when_its_nmi_comes(void **state)
{
    (void)state;
    guest_writes(REGION_BYTES + 100);
    fake_cpus[0].perf_status = PERF_GLOBAL_TRACE_TOPA_PMI | 1;
    fake_cpus[0].lvtpc_masked = true;
    assert_true(pt_pmi_serve(engines[0]));
    assert_int_equal(fake_cpus[0].perf_status, 1);
    assert_false(fake_cpus[0].lvtpc_masked);
    assert_int_equal(streams[0].trace_end, REGION_BYTES);
    assert_int_equal(records_of(0, RECORD_DRAIN), 1);
    assert_int_equal(record_of(0, RECORD_DRAIN, 0)->trace_offset, REGION_BYTES + 100);
    /* Another NMI: LVTPC's, for the guest's counter; then one from elsewhere. */
    fake_cpus[0].lvtpc_masked = true;
    assert_true(pt_pmi_serve(engines[0]));
    assert_false(pt_pmi_serve(engines[0]));
    assert_int_equal(records_of(0, RECORD_DRAIN), 1);
    assert_int_equal(engines[0]->totals.pmis, 1);
    guest_writes(REGION_BYTES + 200);
    assert_int_equal(records_of(0, RECORD_DRAIN), 1);
}

static void seen_records_its_trace_offset(void **state)
{
    struct record_seen seen;
    (void)state;
    running = 1;
    guest_writes(1234);
    pt_seen(engines[1], 77);
    const struct record_header *header = record_of(1, RECORD_SEEN, 0);
    assert_non_null(header);
    assert_int_equal(header->trace_offset, 1234);
    assert_int_equal(header->length, sizeof(seen));
    memcpy(&seen, header + 1, sizeof(seen));
    assert_int_equal(seen.number, 77);
    assert_int_equal(records_of(0, RECORD_SEEN), 0);
}

/* All of a machine's CPUs carry a command out, each when it comes to it, and each answers for itself. */
static void every_cpu_carries_commands_out(void **state)
{
    (void)state;
    command_comes(COMMAND_SET, "policy=drop");
    command_comes(COMMAND_SET, "policy=maybe");
    for (running = 0; running < NR_CPUS; running++) {
        assert_true(pt_enter(engines[running]) & RTIT_CTL_TRACE_EN);
        assert_int_equal(records_of(running, RECORD_STATUS), 2);
        assert_true(text_has(record_of(running, RECORD_STATUS, 0), "command 101\nopcode set\nresult ok"));
        assert_true(text_has(record_of(running, RECORD_STATUS, 0), "policy drop"));
        assert_true(text_has(record_of(running, RECORD_STATUS, 1), "command 102\nopcode set\nresult no"));
        pt_exit(engines[running]);
        fake_tsc += 1000000;
    }
    assert_int_equal(box.done, 2);
}

/* CPU 2 waits for its SIPI while more commands come than the box holds. */
static void a_late_cpu_adopts_what_it_missed(void **state)
{
    (void)state;
    running = 2;
    pt_park(engines[2]);
    assert_int_equal(pt_enter(engines[2]), 0);
    running = 0;
    command_comes(COMMAND_SET, "policy=drop");
    command_comes(COMMAND_PAUSE, "");
    assert_int_equal(pt_enter(engines[0]), 0);
    for (unsigned i = 0; i < COMMAND_BOX_SLOTS; i++)
        command_comes(COMMAND_STATUS, "");
    assert_int_equal(pt_enter(engines[0]), 0);
    assert_int_equal(records_of(0, RECORD_STATUS), 2 + COMMAND_BOX_SLOTS);

    running = 2;
    pt_unpark(engines[2]);
    assert_int_equal(pt_enter(engines[2]), 0); /* paused as the others are */
    assert_true(engines[2]->suspended);
    assert_int_equal(engines[2]->policy, PT_POLICY_DROP);
    assert_int_equal(records_of(2, RECORD_STATUS), 0);
    command_comes(COMMAND_RESUME, "");
    assert_true(pt_enter(engines[2]) & RTIT_CTL_TRACE_EN);
    assert_true(text_has(record_of(2, RECORD_STATUS, 0), "opcode resume\nresult ok"));
    assert_int_equal(records_of(2, RECORD_GAP), 1);
}

/* Another CPU hands over for one that waits for its SIPI, and does not touch a register for it. */
static void a_parked_cpu_is_spoken_for(void **state)
{
    (void)state;
    running = 1;
    guest_writes(2 * REGION_BYTES + 40);
    pt_park(engines[1]);
    assert_int_equal(streams[1].trace_end, 0); /* no time for that */
    running = 0, registers_shut = true;
    pt_flush_begin(engines[1]);
    assert_int_equal(streams[1].trace_end, 2 * REGION_BYTES + 40);
    pt_flush_end(engines[1], "exits 5\n", 8);
    assert_true(text_has(record_of(1, RECORD_END, 0), "trace_bytes 8232\n"));
    assert_true(text_has(record_of(1, RECORD_END, 0), "\nexits 5\n"));
    /* The machine stays up after all, and the CPU runs again. */
    running = 1, registers_shut = false;
    pt_unpark(engines[1]);
    guest_writes(3 * REGION_BYTES + 8);
    pt_flush_begin(engines[1]);
    assert_int_equal(streams[1].trace_end, 3 * REGION_BYTES + 8);
    assert_int_equal(records_of(1, RECORD_GAP), 0);
    assert_int_equal(engines[1]->totals.stalls, 0);
}

/* Parked without a drain request: the missed drain is made up for. */
static void parking_costs_nothing(void **state)
{
    (void)state;
    guest_writes(2 * REGION_BYTES + 40);
    pt_park(engines[0]);
    assert_true(pt_busy(engines[0]));
    fake_tsc += 1000000000;
    pt_unpark(engines[0]);
    assert_false(pt_busy(engines[0]));
    assert_int_equal(streams[0].trace_end, 2 * REGION_BYTES);
    guest_writes(2 * REGION_BYTES + 80);
    assert_true(engines[0]->totals.drain_tsc < 1000);
    assert_int_equal(records_of(0, RECORD_GAP), 0);
    assert_int_equal(engines[0]->totals.stalls, 0);
}

static void a_stop_before_parking_is_reported(void **state)
{
    (void)state;
    guest_writes(REGION_BYTES + 40);
    fake_cpus[0].status = RTIT_STATUS_ERROR;
    pt_park(engines[0]);
    pt_flush_begin(engines[0]);
    assert_int_equal(records_of(0, RECORD_GAP), 1);
    pt_unpark(engines[0]);
    guest_writes(REGION_BYTES + 60);
    assert_int_equal(records_of(0, RECORD_GAP), 1);
    assert_int_equal(fake_cpus[0].status, 0);
}

static void a_flush_in_steps(void **state)
{
    (void)state;
    for (running = 0; running < NR_CPUS; running++) {
        guest_writes(100 + running);
        pt_flush_begin(engines[running]);
    }
    running = 0;
    command_comes(COMMAND_STATUS, "");
    pt_flush_wait(engines[0]);
    assert_int_equal(records_of(0, RECORD_STATUS), 1);
    for (running = 0; running < NR_CPUS; running++) {
        assert_int_equal(streams[running].trace_end, 100 + running);
        pt_flush_end(engines[running], NULL, 0);
    }
    running = 0;
    command_comes(COMMAND_STATUS, "");
    pt_flush_wait(engines[0]);
    assert_int_equal(records_of(0, RECORD_STATUS), 1); /* END is the last record */
    assert_int_equal(panics, 0);
}

/* Policy stall: the guest waits, and the CPU does what another one asks of it. */
static unsigned turns;
static void asked_while_waiting(void *context)
{
    struct pt_engine *pt = context;
    turns++;
    if (turns == 3)
        pt_flush_begin(pt);
    receiver_answers = turns == 5;
}

static void who_waits_answers(void **state)
{
    (void)state;
    turns = 0;
    pt_stall_callback_set(engines[0], asked_while_waiting, engines[0]);
    receiver_answers = false;
    guest_writes((NR_REGIONS - 1) * REGION_BYTES + 10);
    fake_cpus[0].perf_status = PERF_GLOBAL_TRACE_TOPA_PMI;
    pt_pmi_serve(engines[0]);
    assert_true(pt_busy(engines[0]));
    guest_writes((NR_REGIONS - 1) * REGION_BYTES + 20);
    assert_int_equal(turns, 5);
    assert_int_equal(streams[0].trace_end, (NR_REGIONS - 1) * REGION_BYTES + 10);
    assert_int_equal(engines[0]->totals.stalls, 1);
    assert_int_equal(records_of(0, RECORD_GAP), 0);
    assert_false(pt_busy(engines[0]));
}

/* --- pt.flush=: 100 ms of 3 GHz, and root mode runs at least every 10 ms --- */

#define MS 3000000ull

/* The next VM entry comes so many TSC ticks later. */
static void entry_after(uint64_t ticks)
{
    fake_tsc += ticks;
    (void)pt_enter(engines[running]);
    pt_exit(engines[running]);
}

static void flush_every_100_ms(void)
{
    engines[running]->flush_tsc = 100 * MS;
    pt_period_set(engines[running], 10 * MS);
    entry_after(100 * MS);
}

static uint64_t flushed(unsigned cpu)
{
    const struct record_drain *drain = (const void *)(record_of(cpu, RECORD_DRAIN, 0) + 1);
    assert_int_equal(drain->cause, RECORD_DRAIN_FLUSH);
    return streams[cpu].trace_end;
}

static void no_byte_gets_too_old(void **state)
{
    (void)state;
    flush_every_100_ms();
    guest_writes(100);
    entry_after(85 * MS);
    assert_int_equal(streams[0].trace_end, 0);
    entry_after(5 * MS); /* at the next entry they could be 100 ms old */
    assert_int_equal(flushed(0), 100);
    for (unsigned i = 0; i < 100; i++)
        entry_after(10 * MS);
    assert_int_equal(records_of(0, RECORD_DRAIN), 1); /* there was nothing new */
}

static void a_later_entry_means_an_earlier_flush(void **state)
{
    (void)state;
    flush_every_100_ms();
    guest_writes(100);
    assert_in_range(pt_flush_left(engines[0]), 99 * MS, 100 * MS);
    pt_period_set(engines[0], 60 * MS);
    entry_after(39 * MS);
    assert_int_equal(streams[0].trace_end, 0);
    entry_after(MS);
    assert_int_equal(flushed(0), 100);
}

/* A region that fills takes the oldest bytes with it. */
static void a_pmi_leaves_young_bytes(void **state)
{
    (void)state;
    flush_every_100_ms();
    guest_writes(100);
    entry_after(80 * MS);
    guest_writes(REGION_BYTES + 50);
    fake_cpus[0].perf_status = PERF_GLOBAL_TRACE_TOPA_PMI;
    pt_pmi_serve(engines[0]);
    assert_int_equal(streams[0].trace_end, REGION_BYTES);
    entry_after(80 * MS);
    assert_int_equal(streams[0].trace_end, REGION_BYTES);
    entry_after(10 * MS);
    assert_int_equal(streams[0].trace_end, REGION_BYTES + 50);
    /* The hardware continues in the region in use. */
    guest_writes(REGION_BYTES + 60);
    assert_int_equal(records_of(0, RECORD_GAP), 0);
}

static void a_paused_trace_is_flushed_too(void **state)
{
    (void)state;
    flush_every_100_ms();
    guest_writes(100);
    command_comes(COMMAND_PAUSE, "");
    assert_int_equal(pt_enter(engines[0]), 0);
    assert_int_equal(streams[0].trace_end, 0);
    entry_after(95 * MS);
    assert_int_equal(streams[0].trace_end, 100);
}

/* A sink without acknowledgements: what it has released has left. */
static void a_slow_line_gets_no_more_frames(void **state)
{
    (void)state;
    flush_every_100_ms();
    guest_writes(100);
    entry_after(100 * MS);
    assert_int_equal(flushed(0), 100);
    guest_writes(200);
    streams[0].released = 99;
    receiver_answers = false;
    entry_after(100 * MS);
    assert_int_equal(streams[0].trace_end, 100);
    streams[0].released = 100;
    entry_after(MS);
    assert_int_equal(streams[0].trace_end, 200);
}

static void off_keeps_bytes(void **state)
{
    (void)state;
    flush_every_100_ms();
    engines[0]->flush_tsc = 0;
    guest_writes(100);
    for (unsigned i = 0; i < 100; i++)
        entry_after(100 * MS);
    assert_int_equal(streams[0].trace_end, 0);
    assert_true(pt_flush_tsc(engines[0]) == UINT64_MAX && pt_flush_left(engines[0]) == UINT64_MAX);
}

static void another_cpu_sends_what_a_parked_one_has_left(void **state)
{
    (void)state;
    running = 1;
    guest_writes(100);
    pt_flush_parked(engines[1]); /* it is not parked yet */
    assert_int_equal(streams[1].trace_end, 0);
    pt_park(engines[1]);
    running = 0, registers_shut = true;
    pt_flush_parked(engines[1]);
    pt_flush_parked(engines[1]);
    assert_int_equal(flushed(1), 100);
    assert_int_equal(records_of(1, RECORD_DRAIN), 1);
    running = 1, registers_shut = false;
    pt_unpark(engines[1]);
    guest_writes(200);
    assert_int_equal(records_of(1, RECORD_GAP), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_pmi_is_served_when_its_nmi_comes, machine_setup),
        cmocka_unit_test_setup(seen_records_its_trace_offset, machine_setup),
        cmocka_unit_test_setup(every_cpu_carries_commands_out, machine_setup),
        cmocka_unit_test_setup(a_late_cpu_adopts_what_it_missed, machine_setup),
        cmocka_unit_test_setup(a_parked_cpu_is_spoken_for, machine_setup),
        cmocka_unit_test_setup(parking_costs_nothing, machine_setup),
        cmocka_unit_test_setup(a_stop_before_parking_is_reported, machine_setup),
        cmocka_unit_test_setup(a_flush_in_steps, machine_setup),
        cmocka_unit_test_setup(who_waits_answers, machine_setup),
        cmocka_unit_test_setup(no_byte_gets_too_old, machine_setup),
        cmocka_unit_test_setup(a_later_entry_means_an_earlier_flush, machine_setup),
        cmocka_unit_test_setup(a_pmi_leaves_young_bytes, machine_setup),
        cmocka_unit_test_setup(a_paused_trace_is_flushed_too, machine_setup),
        cmocka_unit_test_setup(a_slow_line_gets_no_more_frames, machine_setup),
        cmocka_unit_test_setup(off_keeps_bytes, machine_setup),
        cmocka_unit_test_setup(another_cpu_sends_what_a_parked_one_has_left, machine_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
