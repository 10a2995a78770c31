/* pt.trigger= and pt.start=: trigger.c. Private to vmx/code/. The machine's lock is held for all functions. */
#ifndef VMX_CODE_TRIGGER_H
#define VMX_CODE_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Does the trigger's address lie in this page? */
bool trigger_guards(uint64_t gpa, uint64_t linear);

/* An instruction is fetched from the page: does it reach the address? true: the page's bytes are as they were sent
 * last. */
bool trigger_fetched(struct cpu *cpu, uint64_t gpa);

/* The page is being written. */
void trigger_written(uint64_t gpa);

#endif
