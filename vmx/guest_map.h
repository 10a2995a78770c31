/* What an address space of the guest's has executable: vmx/guest_map.c. Private to vmx/. */
#ifndef VMX_GUEST_MAP_H
#define VMX_GUEST_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;
struct page_fault;
struct space_look;

enum guest_map_found {
    GUEST_MAP_NOT_YET, /* the page is not present */
    GUEST_MAP_NOTHING, /* nothing around it is executable */
    GUEST_MAP_TOLD     /* what is has been told, now or before */
};

/* Tell of the stretch around the fault's address, if it is not as was told last, or if a device has written one of its
 * pages since it was sent. offset: as fault_offset in struct record_map; ABSENT_UNKNOWN: anywhere since the fault,
 * which is this CPU's. The machine's lock is held. Call between pt_exit and pt_enter. */
enum guest_map_found guest_map_tell(struct cpu *cpu, const struct page_fault *fault, uint64_t offset);

/* A fault has exited, upon which another page may be mapped than another CPU has told of: have the other CPUs tell
 * where their traces are now. The same. */
void guest_map_fault_begins(struct cpu *cpu, uint64_t cr3, uint64_t linear);

/* What the fault's page led to from then on is not known: it may have been mapped, and is not any more. The same. */
void guest_map_missed(struct cpu *cpu, const struct page_fault *fault);

/* Tell of all that user mode may execute in a space, where it is not as was told last. looked: this CPU's trace offset
 * when the same was done for the space before; ABSENT_UNKNOWN: never, or elsewhere. The same. */
void guest_map_tell_all(struct cpu *cpu, uint64_t cr3, uint64_t looked);

/* What vmx/space_look.c remembers: NR_SPACE_LOOKS of them. */
struct space_look *guest_map_space_looks(void);

#endif
