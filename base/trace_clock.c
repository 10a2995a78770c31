/* Kind: shell */
#include "base/trace_clock.h"

#include <stddef.h>

#include "base/init.h"

struct trace_clock_cpu trace_clock_cpus[TRACE_CLOCK_CPUS];
bool trace_clock_differs;
static uint16_t (*cpu_number)(void); /* written once at boot */

__attribute__((cold, noinline)) uint64_t trace_clock_find(void)
{
    return trace_clock(cpu_number ? cpu_number() : 0);
}

void trace_clock_move(uint16_t cpu, uint64_t change, uint32_t error)
{
    struct trace_clock_cpu *clock = &trace_clock_cpus[cpu];

    clock->ahead += change;
    trace_clock_differs = true;
    clock->error = clock->error + error >= error ? clock->error + error : UINT32_MAX;
}

INIT_CODE void trace_clock_set_number(uint16_t (*number)(void))
{
    cpu_number = number;
}
