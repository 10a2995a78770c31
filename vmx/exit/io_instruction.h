/* I/O instructions whose port exits: io_exit.c has the handler, io_instruction.c accesses the port, io_string.c the
 * memory of INS and OUTS. Private to vmx/exit/. */
#ifndef VMX_EXIT_IO_INSTRUCTION_H
#define VMX_EXIT_IO_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/exit_action.h"

struct io_access {
    uint16_t port;
    unsigned size; /* bytes: 1, 2, 4 */
    bool in;
};

/* The bits of a value of this size. */
static inline uint32_t io_mask(struct io_access access)
{
    return access.size == 4 ? 0xffffffffu : (1u << 8 * access.size) - 1;
}

/* Access the port as the policy says. value: what is written. Returns what is read. */
uint32_t io_access_perform(struct cpu *cpu, struct io_access access, uint32_t value);

/* INS or OUTS. repeats: with REP. */
enum exit_action io_string_perform(struct cpu *cpu, struct io_access access, bool repeats);

#endif
