/*
 * smp: NMIs between CPUs. Each CPU sends them to the next one, by its physical and its logical ID, each when the one
 * before has arrived, so that none can merge with another: SDM "Handling Multiple NMIs". Then the first CPU sends some
 * to itself and to all others. All execute indirect calls meanwhile, of which a trace has a packet each, so that PMIs
 * are as frequent as they can be.
 */
#include "smp.h"

/* Many times what an NMI takes. One that has not arrived by then is lost. */
#define PATIENCE_TSC 4000000u
#define SOME 100u

static volatile uint32_t lost[MAX_CPUS], senders;

static void nothing(void)
{
}

static void (*const volatile callee)(void) = nothing;

static void await(uint32_t sender, uint32_t to, uint32_t nmis)
{
    uint64_t begun = tsc();
    while (cpus[to].nmis < nmis && tsc() - begun < PATIENCE_TSC)
        callee();
    lost[sender] += cpus[to].nmis < nmis;
}

static void pause_a_while(uint32_t *state)
{
    for (uint32_t calls = random_next(state) % 128; calls; calls--)
        callee();
}

/* The others' targets must still be there. */
static void stay_until_all_have_sent(void)
{
    __atomic_fetch_sub(&senders, 1, __ATOMIC_SEQ_CST);
    while (senders)
        callee();
}

static void send_to_next(uint32_t cpu)
{
    uint32_t to = (cpu + 1) % options.cpus, state = 11 + cpu;
    for (uint32_t i = 0; i < options.nmis; i++) {
        uint32_t before = cpus[to].nmis;
        if (i % 2)
            ipi(1u << to, IPI_LOGICAL | IPI_NMI);
        else
            ipi(to, IPI_NMI);
        await(cpu, to, before + 1);
        pause_a_while(&state);
    }
    stay_until_all_have_sent();
}

static void send_to_itself_and_others(uint32_t cpu)
{
    uint32_t state = 5, own = cpus[0].nmis, others = cpus[1].nmis;
    for (uint32_t i = 1; cpu == 0 && i <= SOME; i++) {
        ipi(0, IPI_NMI);
        await(0, 0, own + i);
        ipi(0, IPI_OTHERS | IPI_NMI);
        for (uint32_t to = 1; to < options.cpus; to++)
            await(0, to, others + i);
        pause_a_while(&state);
    }
    stay_until_all_have_sent();
}

static void part(void (*task)(uint32_t cpu))
{
    senders = options.cpus;
    cpus_run(task);
}

void smp_nmis(void)
{
    uint32_t all_lost = 0;
    part(send_to_next);
    part(send_to_itself_and_others);
    for (uint32_t n = 0; n < options.cpus; n++)
        all_lost += lost[n];
    expect("NMIs lost", all_lost, 0);
    for (uint32_t n = 0; n < options.cpus; n++)
        expect("NMIs", cpus[n].nmis, options.nmis + SOME);
}
