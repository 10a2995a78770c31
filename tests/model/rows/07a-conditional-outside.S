/*
 * Rows 7a, 8a, 9a: conditional and indirect branches and returns outside of the filter range.
 *
 * expect:
 * cbr *
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    testl %ebx, %ebx
    jz 1f
1:  jnz 2f
2:  leaq 3f(%rip), %rax
    jmp *%rax
3:  call 5f
    leaq 5f(%rip), %rax
    call *%rax
    jmp 4f
5:  ret
4:  TRACE_OFF
    ROW_END
