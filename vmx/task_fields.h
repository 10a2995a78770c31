/* Where a Linux guest's kernel keeps the task that runs on a CPU: the option tasks=. Between boot/ and vmx/. */
#ifndef VMX_TASK_FIELDS_H
#define VMX_TASK_FIELDS_H

#include <stdint.h>

/* Offsets in bytes. All 0: unknown. */
struct task_fields {
    uint64_t current;          /* of the CPU's pointer to its task_struct, from the kernel's GS.base */
    uint64_t pid, comm, vfork; /* in task_struct: pid, followed by tgid; comm; vfork_done */
    uint64_t
        entry; /* not 0: current is an address as linked, and this is the linked address of the entry in IA32_LSTAR */
};

#endif
