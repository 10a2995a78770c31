/*
 * What vmx/host/traps.S pushes when an exception or NMI arrives in root mode.
 *
 * Source: SDM Vol. 3A, "64-Bit Mode Stack Frame".
 */
#ifndef BASE_TRAP_FRAME_H
#define BASE_TRAP_FRAME_H

#include <stdint.h>

struct trap_frame {
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t vector;
    uint64_t error_code; /* 0 where the vector has none */
    uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == 22 * 8,
               "vmx/host/traps.S pushes 15 registers, the vector and the error code");

/* Called for an NMI in root mode, at any instruction, on a stack of its own (IST). The IRET after it unblocks NMIs.
 * Defined in vmx/. */
void vmx_root_nmi(struct trap_frame *frame);

#endif
