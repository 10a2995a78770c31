/* What the parts of the guest maps share. */
#ifndef TESTS_GUESTS_MAPS_H
#define TESTS_GUESTS_MAPS_H

#include "machine.h"

#define PRESENT 0x1ull
#define WRITABLE 0x2ull
#define USER 0x4ull
#define LARGE 0x80ull
#define ADDRESS 0x000ffffffffff000ull
#define RIGHTS (PRESENT | WRITABLE | USER)

#define PAGE 4096ull
#define LARGE_PAGE (2ull << 20)
#define BASE (1ull << 39) /* below are the kernel's addresses, in all spaces the same */
#define NR_PAGES 512u     /* from BASE on */
#define NR_LARGE 4u       /* after them */
#define AROUND 16u        /* pages that are mapped around one */

/* What is to be mapped when it faults, and the tables. */
struct space {
    uint64_t root[512], pointers[512], directory[512], table[512];
    uint64_t wanted[NR_PAGES], wanted_large[NR_LARGE];
    bool around;
} __attribute__((aligned(4096)));

/* What the handler does before it maps a page; none: 0. */
extern void (*handler_pauses)(struct space *space, uint32_t page);

extern uint64_t kernel_cr3, faults, failures; /* the first address space; how many faults there were */

void expect(const char *what, uint64_t is, uint64_t should);
/* Call a program in the space that is in use, in ring 0; or in that space, and in ring 3 as well on the first CPU. */
void run_here(const char *what, uint64_t address, uint32_t value);
void run(const char *what, const struct space *space, uint64_t address, uint32_t value);

/* Position-independent; its number decides where its branches are. It yields number * times. */
void program_make(uint8_t *at, uint8_t number, uint32_t times);

/* Call an address in ring 3; the first CPU only. syscall_entry: for IA32_LSTAR. */
uint64_t user_call(uint64_t address);
void syscall_entry(void);

uint64_t physical(const void *at);
uint64_t cr3_get(void);
void cr3_set(uint64_t value);

/* Nothing is mapped yet but the kernel. */
void space_make(struct space *space);
void space_enter(const struct space *space);
uint64_t address_of(uint32_t page);
uint64_t large_address(uint32_t large, uint32_t page);

/* maps_disk.c: a page of memory to the disk's page (0 to 31), and back. */
void disk_write(uint32_t page, const void *memory);
void disk_read(uint32_t page, void *memory);

/* Map it at once, without a fault. Of the space that is in use, or soon will be. */
void map_now(struct space *space, uint32_t page, const void *memory);
/* From now on the programs can access only this guest's memory, not all memory. */
void memory_restrict(void);

/* maps_ended.c: an address leads elsewhere without a fault, in a space that ends; continues: it does not yet. And a
 * space that begins where another one has ended, with its parent's tables. parted: one that has not, though it seems
 * so. */
void overwritten_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns,
                       bool continues);
void copied_story(struct space *parent, struct space *child, uint8_t (*programs)[PAGE], uint32_t turns);
void parted_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns);

/* maps_quiet.c: what is mapped without a fault; replaced: over something else, too. */
void quiet_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns, bool replaced);

/* ... and many tables for a scan to read: none holds the program for long. */
void aliased_story(struct space *space);

/* maps_nmis.c: NMIs in handlers of page faults. */
void nmis_story(struct space *space, uint8_t (*programs)[PAGE], uint32_t turns);

/* maps_held.c: a handler waits for long. turns: of a program's loop. */
struct held {
    bool brief; /* the program faults no more then */
    bool bare;  /* the handler makes a page table as well */
    bool moves; /* the program continues on the other CPU, there */
};
void held_story(struct space *space, uint8_t (*programs)[PAGE], uint32_t turns, struct held how);
void held_story_there(struct space *space, uint8_t (*programs)[PAGE]);

/* Wait until the other CPU has set it. */
void both_wait(volatile uint32_t *number, uint32_t value);

/* maps_pending.c: faults that wait for their pages. other: a program that yields value; there: on the second CPU. */
void pcid_story(const void *other, uint32_t value);
void many_story(uint8_t (*programs)[PAGE], uint32_t turns);
void unknown_story(const void *other);
void unknown_story_there(uint32_t value);
void handed_story(const void *other, uint32_t value);
void handed_story_there(const void *other, uint32_t value);
void taken_story(const void *before, uint32_t value_before, const void *other, uint32_t value);
void taken_story_there(uint32_t value_before, uint32_t value);

/* The next fault maps the page to memory. */
void want(struct space *space, uint32_t page, const void *memory);
/* This CPU forgets what was mapped there. */
void unmap_here(uint32_t page);
/* What is mapped there now goes. Of the space that is in use. */
void unmap(struct space *space, uint32_t page);

__attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error);

/* --- maps_quiet.c: a program that runs for a while without a fault --- */

#define WORK 490u /* its page: work, once it has code and is mapped there */
#define LONG 0xffffu

extern uint8_t work[PAGE];

/* Run a page of the user's, which must return the value. */
void run_user(const char *what, uint32_t page, uint32_t value);
void be_quiet(uint32_t times);

#endif
