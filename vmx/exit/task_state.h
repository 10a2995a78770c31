/*
 * Contents of a task-state segment, and the segments that a new task's selectors name. Core.
 *
 * Source: SDM Vol. 3A "Task Management": "Task-State Segment (TSS)", "16-Bit Task-State Segment (TSS)", Table
 * "Exception Conditions Checked During a Task Switch"; "Segment Descriptors"; Vol. 3C Table "Format of Access Rights".
 */
#ifndef VMX_EXIT_TASK_STATE_H
#define VMX_EXIT_TASK_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of a 32-bit TSS from TASK_WIDE_AT on, 32 bits each; the selectors are in the order of the VMCS as well.
 */
enum task_field {
    TASK_CR3,
    TASK_EIP,
    TASK_EFLAGS,
    TASK_EAX, /* the registers in the order in which instructions number them */
    TASK_ESP = TASK_EAX + 4,
    TASK_ES = TASK_EAX + 8,
    TASK_CS,
    TASK_SS,
    TASK_DS,
    TASK_FS,
    TASK_GS,
    TASK_LDTR,
    TASK_TR,
    TASK_TRAP = TASK_TR, /* bit 0: the T flag */
    NR_TASK_FIELDS
};
#define TASK_WIDE_AT 0x1cu
#define TASK_WIDE_SAVED_BYTES (4 * (TASK_LDTR - TASK_EIP) - 2u) /* EIP to GS */

/* A 16-bit TSS has EIP to DS and LDTR, as words; those before LDTR are saved. */
#define TASK_NARROW_AT 0x0eu
#define NR_TASK_NARROW (TASK_FS - TASK_EIP + 1)
#define TASK_NARROW_SAVED_BYTES (2 * (NR_TASK_NARROW - 1u))

void task_narrow_save(uint16_t *words, const uint32_t *fields);

/* All fields except CR3. FS and GS are null, T is 0, and the upper halves of registers are ones. */
void task_narrow_load(uint32_t *fields, const uint16_t *words);

/* As in the VMCS. */
struct task_segment {
    uint32_t base, limit, access_rights;
};

#define TASK_RIGHTS_ACCESSED 1u
#define TASK_RIGHTS_BUSY 2u /* of a TSS */
#define TASK_RIGHTS_WIDE 8u /* of a TSS: 32-bit */
#define TASK_RIGHTS_EXPAND_DOWN 4u
#define TASK_RIGHTS_DPL (3u << 5)
#define TASK_RIGHTS_B (1u << 14)
#define TASK_RIGHTS_UNUSABLE (1u << 16)

void task_segment_of(struct task_segment *segment, uint64_t descriptor);

/* May the new task, whose CS selector has cpl as its RPL, load this segment? field: TASK_ES to TASK_LDTR. 0: yes; else
 * the exception's vector. The selector is not null. */
uint32_t task_segment_fault(uint32_t field, uint32_t selector, uint32_t cpl, uint32_t access_rights);

#endif
