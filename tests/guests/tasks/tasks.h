/* Of tasks.c and code32.S: the selectors of their GDT, and how it goes from 64-bit mode to 32-bit tasks and back. */
#ifndef TESTS_GUESTS_TASKS_H
#define TESTS_GUESTS_TASKS_H

#define CODE32 0x08
#define CODE64 0x10
#define DATA 0x18
#define DATA3 0x23 /* ring 3 */
#define CODE3 0x2b
#define CODE16 0x30 /* begins at code16 */
#define TSS_MAIN 0x38
#define TSS_CALLED 0x40
#define TSS_JUMPED 0x48
#define TSS_EVENT 0x50  /* an event without an error code */
#define TSS_ERROR 0x58  /* one with */
#define TSS_NARROW 0x60 /* 16-bit */
#define TSS_NARROW_ERROR 0x68
#define TSS_TRAPPED 0x70 /* T flag */
#define TSS_USER 0x78    /* ring 3 */
#define TSS_V86 0x80
#define TSS_DOUBLE 0x88 /* #DF */
#define TSS_END 0x90    /* where all ends */
#define TASK_GATE 0x9b  /* to TSS_CALLED, from ring 3 too */
#define SOME_LDT 0xa0
#define LOCAL_DATA 0x04   /* in the LDT */
#define SOME_BAD 0xa8     /* whatever is wrong this time */
#define STACK16 0xb0      /* begins at stacks32 */
#define CODE16_REAL 0xb8  /* begins where real mode has SEGMENT_REAL */
#define CODE32_ALIAS 0xc0 /* at the IP of segments_flat it has other code */
#define LOCAL_CODE 0x0c   /* in the LDT: 32-bit, at SEGMENT_LOCAL */
#define NR_DESCRIPTORS 25
#define SEGMENT_ROUNDS 12
#define SEGMENT_V86 0x4000 /* and 64 KiB after it another one */
#define SEGMENT_REAL 0x6000
#define SEGMENT_REAL_IP 0x200
#define SEGMENT_LOCAL 0x20000
#define SEGMENT_ALIAS 0x80000
#define TASK_V86_AT 0x9000 /* virtual-8086 mode: its code, linear */
#define TSS_BYTES 128

#define FIRST_TSS TSS_MAIN
#define NR_TSS ((TSS_END - FIRST_TSS) / 8 + 1)

#define LOG_ENTRIES 512
#define STACK_BYTES 1024
#define HANDLER_BYTES 16

#ifndef __ASSEMBLER__
#include <stdint.h>

extern uint32_t task_log[LOG_ENTRIES], task_logged, nmis;

/* Into 32-bit protected mode with this CR3 and these bits of CR4, in the task TSS_MAIN, to story; until task_end. */
void task_run(const void *story, uint32_t cr3, uint32_t cr4);

/* What TSS_MAIN does. */
extern const uint8_t story_call[], story_jump[], story_gate[], story_undefined[], story_error[], story_interrupt[],
    story_nmi[], story_double[], story_trapped[], story_narrow[], story_user[], story_v86[], story_far[],
    story_segments_v86[], story_segments_real[], story_segments_32[];

/* What is copied to segments, and where it ends. */
extern const uint8_t v86_first[], v86_before[], v86_after[], v86_second[], v86_high[], v86_end[], real_first[],
    real_before[], real_after[], real_second[], real_high[], real_end[], alias_first[], alias_end[], local_first[],
    local_high[], local_end[], segments_flat[];

/* Where tasks begin, handlers of exceptions (HANDLER_BYTES each) and of INT n. */
extern const uint8_t task_called[], task_jumped[], task_event[], task_error[], task_narrow[], task_narrow_error[],
    task_trapped[], task_user[], task_double[], code16[], handlers[], handler_user[], handler_end[];
extern uint8_t stacks32[], tss_page[];
#endif

#endif
