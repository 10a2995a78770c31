/* Kind: shell */
#include "vmx/cpu/exit_counts.h"

#include "base/log.h"

/* During the exit in which the machine goes down its reason's ticks are negative: see struct exit_counts_cpu. */
static uint64_t ticks_so_far(const struct cpu *cpu, unsigned reason)
{
    const uint64_t ticks = exit_counts_of(cpu)->tsc[reason];
    return (int64_t)ticks < 0 ? ticks + tsc_read() : ticks;
}

static uint32_t exits_text(struct cpu *cpu, bool sleeps)
{
    size_t length = 0;
    uint64_t total = 0;

    for (unsigned i = 0; i < NR_EXIT_REASONS; i++) {
        total += exit_counts_of(cpu)->nr[i];
        if (exit_counts_of(cpu)->nr[i] == 0)
            continue;
        length += format_text(cpu->text + length, sizeof cpu->text - length, "exit.%s %llu\n", exit_reason_name(i),
                              (unsigned long long)exit_counts_of(cpu)->nr[i]);
    }
    length +=
        format_text(cpu->text + length, sizeof cpu->text - length, "exits %llu\nexit_tsc", (unsigned long long)total);
    for (unsigned i = 0; i < NR_EXIT_REASONS; i++)
        if (exit_counts_of(cpu)->nr[i] != 0)
            length += format_text(cpu->text + length, sizeof cpu->text - length, " %llu",
                                  (unsigned long long)ticks_so_far(cpu, i));
    length += format_text(cpu->text + length, sizeof cpu->text - length, "%s", sleeps ? "\nsleeps 1\n" : "\n");
    return (uint32_t)length;
}

void exit_counts_flush(struct cpu *cpu, bool sleeps)
{
    pt_flush_end(cpu->pt, cpu->text, exits_text(cpu, sleeps));
}
