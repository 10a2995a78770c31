#include "vmx/flush.h"

#include "serial/log.h"
#include "vmx/cpu.h"

static uint32_t exits_text(struct cpu *cpu)
{
    size_t length = 0;
    uint64_t total = 0;

    for (unsigned i = 0; i < NR_EXIT_REASONS; i++) {
        total += cpu->exits[i];
        if (cpu->exits[i] == 0)
            continue;
        length += format_text(cpu->text + length, sizeof cpu->text - length, "exit.%s %llu\n", exit_reason_name(i),
                              (unsigned long long)cpu->exits[i]);
    }
    length += format_text(cpu->text + length, sizeof cpu->text - length, "exits %llu\n", (unsigned long long)total);
    length += format_text(cpu->text + length, sizeof cpu->text - length, "%s", machine.sleeps ? "sleeps 1\n" : "");
    return (uint32_t)length;
}

void flush_end(struct cpu *cpu)
{
    pt_flush_end(cpu->pt, cpu->text, exits_text(cpu));
}
