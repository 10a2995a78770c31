/*
 * The hypervisor: the interface of vmx/ for boot/.
 */
#ifndef VMX_VMX_H
#define VMX_VMX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range.h"
#include "pt/engine.h"
#include "vmx/task_fields.h"

#define VMX_MAX_HIDDEN 7u

/* I/O ports whose accesses exit; 0: the machine does not have them. */
struct vmx_ports {
    uint16_t pm1a_cnt, pm1b_cnt; /* FADT: SLP_EN written here powers the machine off or suspends it */
    uint16_t sleep_control;      /* FADT: the same for SLEEP_CONTROL_REG, if it is a port */
    uint8_t sleep_types;         /* bit n: SLP_TYP n preserves memory, S1 to S3 */
    uint16_t reset_port;         /* FADT: RESET_REG, if it is a port */
    uint8_t reset_value;
    uint8_t nr_hidden;                       /* hidden PCI functions: the card, and bridges that lead only to it */
    uint32_t hidden_bdf[VMX_MAX_HIDDEN];     /* segment << 16 | bus << 8 | device << 3 | function */
    uint64_t hidden_ecam_pa[VMX_MAX_HIDDEN]; /* its page in MMCONFIG space, 0: none */
    struct range hidden_mmio;                /* the card's registers */
    uint16_t hidden_uart;                    /* first of the eight ports of the channel's UART, 0: none */
    bool watch_power;                        /* flush before power-off and reset: their ports exit */
};

#define VMX_MAX_CPUS 64u

/* The configuration of the machine, the same for all CPUs. */
struct vmx_machine {
    struct range reserved;  /* root's image, tables and trace regions: not mapped for the guest */
    uint64_t top_of_memory; /* end of the highest RAM in bytes */
    struct vmx_ports ports;
    bool code_pages;           /* EPT W^X, RECORD_PAGE records */
    bool space_ends;           /* ... and records of the ends of address spaces: vmx/code/space_lifetime.h */
    enum pt_switch way;        /* how IA32_RTIT_CTL is switched at VM entries and exits; ROOT if PT is off */
    bool watch_lvtpc;          /* PT is on: the guest's writes to LVTPC must not disable our PMI */
    bool watch_ipis;           /* record the guest's INITs as it sends them: they merge with root's (vmx/kick.h) */
    bool stop_at_triple_fault; /* fail-stop with a dump; else reset the machine, as bare hardware does */
    uint64_t trigger;          /* linear address at whose execution pt_trigger is called, 0: none; needs code_pages */
    bool trigger_once;         /* only at its first execution */
    struct task_fields tasks;  /* of the guest; used with map_memory */
    uint64_t poll_tsc;         /* run root mode at least every so many TSC ticks, 0: only when the guest exits */
    void (*each_exit)(void);   /* called at each VM exit, on any CPU; NULL: nothing */
    void *map_memory; /* vmx_map_memory_size zeroed bytes, if the guest's page tables are to be followed; else NULL */
    void *ept_pool;   /* zeroed pages for EPT tables, in the direct map */
    uint32_t nr_ept_pages;
    uint16_t nr_cpus; /* 1 to VMX_MAX_CPUS */
};

/* Pages that ept_pool should have for a machine whose RAM ends at this address: to split all of it into 4-KByte pages;
 * and the least that it must have: to split 32 GiB. If the guest executes code in more 2-MByte blocks than there are
 * pages for, it is stopped with a dump. Core. */
uint32_t vmx_ept_pages_needed(uint64_t top_of_memory);
uint32_t vmx_ept_pages_least(uint64_t top_of_memory);

/* The guest's first state: 32-bit protected mode, paging off, flat segments, interrupts off (Linux 32-bit boot
 * protocol). */
struct vmx_entry {
    uint32_t eip;
    uint32_t esi;    /* boot_params */
    uint32_t gdt_pa; /* guest memory for a GDT of 4 entries, 8-byte aligned */
};

/* Can this CPU, the first one, run the hypervisor? NULL: yes; else one sentence that says why not. Call before
 * vmx_machine_init. */
const char *vmx_check(void);

struct vmx_caps;

/* The capabilities that vmx_check has read. */
const struct vmx_caps *vmx_caps_read(void);

/* The same for each other CPU. Call after vmx_check has returned NULL. */
const char *vmx_cpu_check(void);

/* Have IA32_RTIT_CTL switched in this way. NULL: done; else one sentence that names the missing control. Call after
 * vmx_check has returned NULL. */
const char *vmx_switch_check(enum pt_switch way);

/* Build the EPT and the bitmaps, which all CPUs share. NULL: done; else what failed. */
const char *vmx_machine_init(const struct vmx_machine *machine);

struct cpu;                         /* vmx/cpu.h: one page-aligned struct per CPU, stack first */
extern const uint32_t vmx_cpu_size; /* bytes of struct cpu, a multiple of 4096 */

extern const uint32_t vmx_map_memory_size;

/* Enter VMX operation on this CPU and run the guest; does not return. entry NULL: wait until the guest starts the CPU.
 * memory: vmx_cpu_size bytes, zeroed, page-aligned, direct map. number: 0 for the first CPU, which is the guest's
 * bootstrap processor. A failure dumps and parks. */
_Noreturn void vmx_cpu_run(void *memory, uint16_t number, uint32_t apic_id, struct pt_engine *pt,
                           const struct vmx_entry *entry);

/* An exception in root mode was dumped on this CPU: stop the other CPUs, and hand over the trace as far as possible. */
void vmx_root_fault(void);

/* Do CPUs 1 to nr - 1 wait for the guest to start them? */
bool vmx_cpus_waiting(uint16_t nr);

#endif
