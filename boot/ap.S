/*
 * Where another CPU starts: SDM Vol. 3A, "MP Initialization Protocol Algorithm for MP Systems" and "Initializing IA-32e
 * Mode". The code is copied to a page below 1 MiB (boot/ap_page.h) and runs there.
 *
 * In, from a SIPI: real mode, CS:IP = the page's start, interrupts off, caches off (CR0.CD and NW are set). Out: 64-bit
 * mode on our page tables, on the CPU's own stack, in ap_main(RDI = its struct boot_cpu). FS and GS have base 0.
 */
#include "boot/ap_page.h"
#include "boot/long_mode.h"
#include "vmx/host/selectors.h"
#include "base/msr_numbers.h"

    .section .init, "ax"
    .globl ap_page, ap_page_32, ap_page_64
    .balign 16
    .code16
ap_page:
    cli
    cld
    xorl %ebx, %ebx
    movw %cs, %bx
    movw %bx, %ds
    shll $4, %ebx /* EBX = the page's address, until the end */
    lgdtl AP_GDTR
    movl $(CR0_NE | CR0_MP | CR0_PE), %eax
    movl %eax, %cr0
    ljmpl *AP_FAR_32

    .code32
ap_page_32:
    movl $GDT_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %fs
    movl %eax, %gs
    movl %eax, %ss
    movl $CR4_PAE, %eax
    movl %eax, %cr4
    movl AP_CR3(%ebx), %eax
    movl %eax, %cr3
    movl $IA32_EFER, %ecx
    movl $(EFER_LME | EFER_NXE), %eax
    xorl %edx, %edx
    wrmsr
    movl $CR0_LONG_MODE, %eax
    movl %eax, %cr0
    ljmpl *AP_FAR_64(%ebx)

    .code64
ap_page_64:
    movl %ebx, %ebx /* the upper half is undefined after the change of mode */
    movq AP_STACK(%rbx), %rsp
    movq AP_CPU(%rbx), %rdi
    xorl %ebp, %ebp
    movabsq $ap_main, %rax
    callq *%rax
    ud2
    .org ap_page + AP_GDT /* fails to assemble if the code is longer */

    .section .note.GNU-stack, "", @progbits
