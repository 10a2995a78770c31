/* Branches that are not conditional: how the guest went from one function to another, or may have. */
#ifndef DECODE_STACK_TRANSFER_H
#define DECODE_STACK_TRANSFER_H

#include <stdint.h>

#include "decode/engine/batch.h"

enum transfer_kind {
    TRANSFER_JUMP, /* JMP, near, or far within code of one privilege level as far as that is known */
    TRANSFER_CALL,
    TRANSFER_RETURN,
    TRANSFER_FAR_CALL,   /* SYSCALL, SYSENTER, INT n, INT1, INT3, INTO, CALL far */
    TRANSFER_FAR_RETURN, /* IRET, SYSRET, SYSEXIT, RET far and the like */
    TRANSFER_INTERRUPT   /* an interrupt or exception, delivered before the instruction at from */
};

struct transfer {
    uint64_t from, to; /* as of a flow_branch; from 0: none, only what is in before */
    uint64_t before;   /* conditional branches since the transfer before it */
    enum transfer_kind kind;
};

/* Of a branch's tag. */
enum transfer_kind transfer_kind_of(uint8_t tag);

#endif
