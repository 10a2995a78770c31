/*
 * direct_enter: boot/guest/direct.h. In: EDI = page, ESI = entry, EDX = boot_params. Out, as required by Linux's 32-bit
 * boot protocol: flat CS, DS, ES, SS; paging and interrupts off; ESI = boot_params; EBX, EBP, EDI = 0.
 *
 * SDM Vol. 3A, "Switching Out of IA-32e Mode Operation": executed in compatibility mode, from identity-mapped memory.
 */
#include "vmx/host/selectors.h"
#include "base/control.h"
#include "base/msr_numbers.h"

    .section .init, "ax"
    .globl direct_enter
direct_enter:
    cli
    cld
    movl %edi, %r8d
    movl %esi, %r9d
    leaq direct_page(%rip), %rsi
    movl $(direct_page_end - direct_page), %ecx
    rep movsb
    movl $GDT_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss
    movl %edx, %esi
    movl %r9d, %ebp
    pushq $GDT_CODE32
    pushq %r8
    lretq

    .code32
direct_page:
    movl $(CR0_PE | CR0_ET), %eax
    movl %eax, %cr0
    movl $IA32_EFER, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    movl %eax, %cr4
    movl %ebp, %eax
    xorl %ebx, %ebx
    xorl %ebp, %ebp
    xorl %edi, %edi
    jmp *%eax
direct_page_end:

    .section .note.GNU-stack, "", @progbits
