/* Kind: shell */
#include "vmx/turns.h"

#include "vmx/cpu.h"
#include "vmx/ept_maths.h"

#define NR_TURNS 16u
#define TURN_TSC 20000u
#define TURN_NOT_BEGUN UINT64_MAX

static struct turn {
    uint64_t gpa, until; /* TSC */
    const struct cpu *cpu;
} turns[NR_TURNS];

static struct turn *turn_of(uint64_t gpa)
{
    return &turns[gpa / EPT_PAGE_SIZE % NR_TURNS];
}

void turn_give(struct cpu *cpu, uint64_t gpa)
{
    if (!machine_has_others())
        return;
    cpu->turn = turn_of(gpa);
    *cpu->turn = (struct turn){gpa, TURN_NOT_BEGUN, cpu};
}

/* Without the lock: at worst a turn begins too early that another CPU was given in the same place. */
void turn_begin(struct cpu *cpu)
{
    uint64_t until = TURN_NOT_BEGUN;

    if (cpu->turn->cpu == cpu)
        __atomic_compare_exchange_n(&cpu->turn->until, &until, tsc_read() + TURN_TSC, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
    cpu->turn = NULL;
}

bool turn_is_anothers(const struct cpu *cpu, uint64_t gpa)
{
    const struct turn *turn = turn_of(gpa);

    return __atomic_load_n(&turn->gpa, __ATOMIC_SEQ_CST) == gpa && turn->cpu && turn->cpu != cpu &&
           tsc_read() < __atomic_load_n(&turn->until, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&machine.stopping, __ATOMIC_SEQ_CST);
}
