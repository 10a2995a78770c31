/* Where a Linux guest's kernel has the task that runs: what the option tasks= says. Between boot/ and vmx/. */
#ifndef VMX_TASK_FIELDS_H
#define VMX_TASK_FIELDS_H

#include <stdint.h>

/* Bytes. All 0: nobody knows. */
struct task_fields {
    uint64_t current;          /* the CPU's pointer to the task_struct, from the kernel's GS.base on */
    uint64_t pid, comm, vfork; /* in task_struct: pid with tgid behind it, comm, vfork_done */
    uint64_t entry;            /* not 0: current is an address as linked, and so is this one, of what IA32_LSTAR has */
};

#endif
