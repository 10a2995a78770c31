/*
 * The built-in guest: the addresses of its branches, and the parameters that determine them. boot/guest/builtin_guest.S
 * places its instructions at these offsets (code that does not fit fails to assemble), and the host tool uses them to
 * predict the branches. For C and assembly; offsets are from the guest's first byte.
 */
#ifndef BOOT_GUEST_BUILTIN_GUEST_H
#define BOOT_GUEST_BUILTIN_GUEST_H

#define BUILTIN_NAME "Undertrace's own guest, version 1" /* its version string, which captures show */
#define BUILTIN_SETUP_BYTES 0x400 /* before the code: the boot sector and one sector of setup, as in a bzImage */
#define BUILTIN_CODE_BYTES 0x1000
#define BUILTIN_MEMORY_BYTES 0xf000 /* code, tables and stack */

#define BUILTIN_SEED 0x2545f491 /* of xorshift32 with shifts 13, 17, 5 */
#define BUILTIN_ITERATIONS 256  /* of the inner loop in each round */
#define BUILTIN_DEPTH_MASK 127  /* the deepest recursion; return compression covers a depth of 64 */

/* 32-bit code */
#define BUILTIN_FIRST 0x010 /* CALL to the next instruction */
#define BUILTIN_FIRST_TO 0x015
#define BUILTIN_FILL_TO 0x040 /* 2048 entries of page directories */
#define BUILTIN_FILL 0x060    /* JNE */
#define BUILTIN_FILLS 2048
#define BUILTIN_ENTER 0x1c0 /* RET far */

/* 64-bit code */
#define BUILTIN_LONG 0x200
#define BUILTIN_ROUND_TO 0x300
#define BUILTIN_ITERATION_TO 0x310
#define BUILTIN_ODD 0x338 /* JNZ: bit 0 */
#define BUILTIN_ODD_TO 0x340
#define BUILTIN_HIGH 0x348 /* JZ: bits 6:4 */
#define BUILTIN_HIGH_TO 0x350
#define BUILTIN_CALL 0x360 /* CALL of one of four by bits 9:8 */
#define BUILTIN_CALL_NEXT 0x363
#define BUILTIN_AGAIN 0x368 /* JNZ */
#define BUILTIN_DEEP 0x380  /* CALL, bits 6:0 of the state in ECX */
#define BUILTIN_DEEP_NEXT 0x385
#define BUILTIN_UD2 0x390
#define BUILTIN_UD2_NEXT 0x392
#define BUILTIN_INT 0x3a0
#define BUILTIN_INT_NEXT 0x3a2
#define BUILTIN_ROUND 0x3c0 /* JNZ */
#define BUILTIN_END 0x3d0
#define BUILTIN_IDLE_TO 0x3f0
#define BUILTIN_IDLE 0x3f8 /* JMP, if the machine stays on */

/* Functions */
#define BUILTIN_PLAIN 0x400 /* RET */
#define BUILTIN_IF 0x420
#define BUILTIN_IF_JZ 0x428 /* JZ: bit 12 */
#define BUILTIN_IF_RET 0x430
#define BUILTIN_NESTS 0x440 /* CALL of BUILTIN_PLAIN */
#define BUILTIN_NESTS_RET 0x445
#define BUILTIN_TAIL 0x460
#define BUILTIN_TAIL_JMP 0x468 /* indirect JMP to BUILTIN_PLAIN */
#define BUILTIN_RECURSE 0x480
#define BUILTIN_RECURSE_JS 0x488
#define BUILTIN_RECURSE_CALL 0x490
#define BUILTIN_RECURSE_RET 0x495
#define BUILTIN_ON_UD2 0x4c0
#define BUILTIN_UD2_IRET 0x4c8
#define BUILTIN_INT_IRET 0x4e0

/* Parameters set by boot/guest/builtin.c, of 32, 16 and 16 bits. */
#define BUILTIN_PARAMETERS 0xff0 /* rounds, port for the final write, value for the port */

/* Start of the log line that states the number of rounds. */
#define BUILTIN_LOG "built-in guest: "

/* Rounds, of about 1,750 branches each. Single-stepping is a hundred times slower. */
#define BUILTIN_ROUNDS 1024
#define BUILTIN_ROUNDS_SOFT 16

#endif
