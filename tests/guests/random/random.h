/* Of random.c: what its parts share. The C and assembly code of the guest run in an address space that maps memory one
 * to one; random code runs in another one, which has only its own pages and those of enter.S. */
#ifndef TESTS_GUESTS_RANDOM_H
#define TESTS_GUESTS_RANDOM_H

/* Selectors. In 64-bit mode SYSCALL and SYSRET need the first six in this order. */
#define CODE64 0x10
#define DATA 0x18
#define DATA3 0x23
#define CODE64_3 0x2b
#define CODE32 0x30
#define CODE32_3 0x3b
#define CODE16 0x40
#define CODE16_3 0x4b
#define CODE64_1 0x51
#define DATA1 0x59
#define TASK 0x60 /* two entries */
#define ABSENT 0x70
#define READ_ONLY 0x78
#define LOCAL 0x80 /* the LDT, two entries */
#define NR_DESCRIPTORS 18
#define RANDOM_CODE 0x90 /* of a seed of its own: NR_RANDOM of them, which modes_segments.c makes */
#define RANDOM_DATA 0x98
#define NR_RANDOM 14
#define TASK_32 0x100
#define TASK_DOUBLE_FAULT 0x108
#define CODE16_REAL 0x110
#define DATA16_REAL 0x118
#define STACK16_REAL 0x120
#define NR_GDT 37
#define NR_LOCAL 4

#define CODE_AT 0x4000 /* random code, where 16-bit segments reach it, and above space_high */
#define DATA_AT 0x6000
#define NR_CODE_PAGES 1
#define NR_DATA_PAGES 2
#define PAGE 4096

/* Offsets in struct random_state. */
#define STATE_R(number) (8 * (number))
#define STATE_FRAME 128
#define STATE_VECTOR 168
#define STATE_ERROR 176
#define STATE_DS 184
#define STATE_CR2 216
#define STATE_DR6 224
#define STATE_CR3 232

#define VECTOR_SYSCALL 0x100
#define VECTOR_SYSENTER 0x101
#define VECTOR_END 0x81 /* INT 81H ends the code */

#define VECTOR_DOUBLE_FAULT 0x108 /* by the task gate */

#define PIT_COUNTER 0x40

/* Where modes.S exchanges registers, and where it is in real-address mode. */
#define MODES_AT 0x90000
#define REAL_AT 0xd0000
#define MODES_EAX 0
#define MODES_ECX 4
#define MODES_EDX 8
#define MODES_EBX 12
#define MODES_EBP 20
#define MODES_ESI 24
#define MODES_EDI 28
#define MODES_EIP 32
#define MODES_CS 36
#define MODES_EFLAGS 40
#define MODES_ESP 44
#define MODES_SS 48
#define MODES_ES 52
#define MODES_DS 56
#define MODES_FS 60
#define MODES_GS 64
#define MODES_VECTOR 68
#define MODES_ERROR 72
#define MODES_CR2 76
#define MODES_DR6 80
#define MODES_CR0 84
#define MODES_CR3 88
#define MODES_CR4 92
#define MODES_HOW 96 /* 0: CPL 0; 1: by IRET; 2: real-address mode */
/* A TSS with the interrupt redirection bitmap and the I/O permission bitmap of 400H ports. */
#define MODES_TSS_BYTES (104 + 32 + 128 + 1)

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The CPU's registers before the next instruction of the random code, and the event that ended it. */
struct random_state {
    uint64_t r[16]; /* in the order of their encoding: RAX, RCX, RDX, RBX, RSP, ... */
    uint64_t rip, cs, rflags, rsp, ss;
    uint64_t vector, error;
    uint64_t ds, es, fs, gs;
    uint64_t cr2, dr6;
    uint64_t cr3; /* the random code's address space */
};
_Static_assert(offsetof(struct random_state, rip) == STATE_FRAME, "random.h");
_Static_assert(offsetof(struct random_state, vector) == STATE_VECTOR, "random.h");
_Static_assert(offsetof(struct random_state, ds) == STATE_DS, "random.h");
_Static_assert(offsetof(struct random_state, cr3) == STATE_CR3, "random.h");

/* --- enter.S --- */
extern struct random_state random_state;
extern uint8_t random_stubs[], random_stubs_end[], random_syscall[], random_sysenter[];
extern uint8_t random_text_start[], random_text_end[], random_data_start[], random_data_end[], random_stack_top[],
    random_nmi_stack_top[];
extern uint64_t random_gdt[NR_GDT], random_ldt[NR_LOCAL], random_idt[512], random_tss[16];
/* Run the random code from random_state until its next event. */
void random_enter(void);

/* --- setup.c --- */
/* watched: code that does not end is given up. */
void machine_prepare(bool watched);

/* --- games.c --- */
/* The hash of what came of a seed's games; print: each of them. */
uint64_t games_run(uint32_t seed, bool print);

/* --- random.c --- */
enum kind { KIND_CODE, KIND_COMPAT, KIND_LEGACY, KIND_V86, KIND_REAL, KIND_MODES, NR_KINDS };
enum width { WIDTH_64, WIDTH_32, WIDTH_16 };
#define MOST_INSTRUCTIONS 64
/* A seed's attempts. */
struct run {
    enum width width;
    unsigned cpl;
    bool exposed;   /* at CPL 0, and with all of low memory */
    bool one_stack; /* an interrupt's frame is pushed on the code's own stack */
    uint16_t cs, ds;
    uint64_t code_at, data_at; /* offsets in these segments */
    uint64_t flags;            /* of RFLAGS, always */
    uint8_t *code, *data;      /* where this guest has them */
    void (*enter)(void);
    uint16_t starts[MOST_INSTRUCTIONS + 1];
    uint32_t number, next; /* of instructions; the next one after an exception */
    uint32_t events;
    bool gave_up; /* it did not end: how far it came is a matter of time */
};
extern struct run run;
void hex(const char *name, uint64_t value);

/* --- data.c --- */
void data_prepare(void);
/* For a seed, at run.data. */
void data_reset(void);
/* Only what has changed. */
uint64_t data_hash(uint64_t hash);

/* --- modes.c: seeds outside 64-bit mode --- */
void modes_prepare(void);
/* The rest of run. */
void modes_choose(enum kind kind);
uint64_t modes_memory_hash(uint64_t hash);
/* All of low memory is filled before the next seed. Else only what code reaches without new segments: it takes long. */
extern bool modes_memory_is_stale;

/* --- watch.c: code that does not end is given up by an NMI of the timer --- */
void watch_prepare(void);
/* For a seed, which has so many periods of 55 ms. */
void watch_start(uint32_t periods);
/* Whether this NMI is the timer's. If so, it counts, and periods_left says how many the code has left. */
bool watch_take(void);
extern uint32_t periods_left;

/* --- space.c --- */
extern uint8_t random_code[PAGE], random_data[NR_DATA_PAGES * PAGE];
void space_make(void);
/* Map the page after enter.S's code, which no one needs. */
void space_map_beside(void);
/* Once for each seed: page-table entries, with CPL 3's right to them, or not. */
void space_reset(bool user);
/* Nothing is wrong with these, for CPL 3 too. */
void space_reset_plain(void);
/* The bits of the entries that the CPU changes. */
uint64_t space_hash(uint64_t hash);
#define SPACE_HIGH 0x0000700000000000ull /* the same pages, for 64-bit code */

/* --- make.c --- */
/* Fill run.code and set run.starts. Far pointers have selectors from first_selector on, so many. */
void code_make(uint32_t first_selector, uint32_t nr_selectors, uint64_t data_at);
/* Instructions that reach ports, wait, or change what the modes are set up with. */
bool byte_is_dangerous(uint8_t byte);

/* A sequence that the seed begins; numbers have all 64 bits. */
extern uint64_t random_sequence;
uint64_t random64(void);
static inline uint32_t below(uint32_t limit)
{
    return (uint32_t)((random64() >> 32) * limit >> 32);
}

static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}
#endif

#endif
