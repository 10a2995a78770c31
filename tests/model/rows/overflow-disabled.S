/*
 * An overflow that resolves while PacketEn is 0, 36.3.8: OVF only, and no IP packet before the next TIP.PGE. Here the FUP
 * and TIP.PGD of an INT are lost.
 *
 * options: profile=skylake, ovf=33:1
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge user
 * ovf
 * tip.pge user_again
 * fup user_leaves
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 0x80, kernel
    GATE 0x81, leave
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    movq %rsp, %r15
    IRET_TO USER_CODE64, USER_DATA, user
user:
    int $0x80
user_again:
    nop
user_leaves:
    int $0x81
kernel:
    iretq
leave:
    movq %r15, %rsp
    TRACE_OFF
    ROW_END
