/*
 * The machine as boot/ describes it to vmx/, and how much memory vmx/ needs for it.
 */
#ifndef VMX_CONFIG_H
#define VMX_CONFIG_H

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

/* Pages of device registers that the guest accesses through functions, by doublewords. They are called on any CPU, on
 * several at a time, and with the machine's lock held or not. The EPT tables take up to nr_pages more pages of the
 * pool. */
struct vmx_filter {
    const uint64_t *pages; /* multiples of 4 KBytes below 4 GiB; must stay valid */
    unsigned nr_pages;
    uint32_t (*read)(uint64_t page, uint32_t offset);
    void (*write)(uint64_t page, uint32_t offset, uint32_t value);
};

#define VMX_E820_ENTRY_SIZE 20u

/* A guest that was started from a BIOS disk: its calls of INT 15h that report memory are answered with these entries of
 * INT 15h, E820h, in which reserved below is reserved. */
struct vmx_bios {
    uint32_t handler; /* linear address of the BIOS's handler of INT 15h, in memory mapped to itself; 0: none */
    uint32_t nr_entries;
    const uint8_t *entries; /* VMX_E820_ENTRY_SIZE bytes each; must stay valid */
};

#define VMX_MAX_CPUS 64u

/* The configuration of the machine, the same for all CPUs. */
struct vmx_machine {
    struct range reserved;  /* root's image, tables and trace regions: not mapped for the guest */
    uint64_t top_of_memory; /* end of the highest RAM in bytes */
    struct vmx_ports ports;
    struct vmx_filter filter;
    struct vmx_bios bios;
    bool code_pages;           /* EPT W^X, RECORD_PAGE records */
    bool space_ends;           /* ... and records of the ends of address spaces: vmx/code/space_lifetime.h */
    enum pt_switch way;        /* how IA32_RTIT_CTL is switched at VM entries and exits; ROOT if PT is off */
    bool watch_lvtpc;          /* PT is on: the guest's writes to LVTPC must not disable our PMI */
    bool watch_ipis;           /* record the guest's INITs as it sends them: they merge with root's (vmx/smp/kick.h) */
    bool stop_at_triple_fault; /* fail-stop with a dump; else reset the machine, as bare hardware does */
    bool mitigations;          /* the guest is not trusted: vmx/cpu/mitigations.h */
    uint64_t trigger;          /* linear address at whose execution pt_trigger is called, 0: none; needs code_pages */
    bool trigger_once;         /* only at its first execution */
    bool code_from_trigger;    /* ... and no code is sent before: until then all pages but that are open to writes and
                                  execution. The address is mapped to itself */
    struct task_fields tasks;  /* of the guest; used with map_memory */
    uint64_t poll_tsc;         /* run root mode at least every so many TSC ticks, 0: only when the guest exits */
    void (*each_exit)(void);   /* called at each VM exit, on any CPU; NULL: nothing */
    void *map_memory; /* vmx_map_memory_size zeroed bytes, if the guest's page tables are to be followed; else NULL */
    void *ept_pool;   /* zeroed pages for EPT tables, in the direct map */
    uint64_t first_code; /* the number before that of the first record of code */
    uint32_t nr_ept_pages;
    uint16_t nr_cpus; /* 1 to VMX_MAX_CPUS */
};

/* A segment register as the VMCS describes it: SDM Table "Format of Access Rights". */
struct vmx_segment {
    uint16_t selector;
    uint32_t limit, rights; /* limit in bytes */
    uint64_t base;
};

/* The state of 64-bit software that runs on the CPU already. General registers other than RSP are 0 at first; what is
 * not named here stays as it is. */
struct vmx_state {
    uint64_t rip, rsp, rflags, cr0, cr3, cr4, efer, pat, dr7, debugctl;
    uint64_t sysenter_cs, sysenter_esp, sysenter_eip;
    uint64_t gdt_base, idt_base;
    uint32_t gdt_limit, idt_limit;
    struct vmx_segment segments[8]; /* ES, CS, SS, DS, FS, GS, LDTR, TR */
};

/* The guest's first state: 32-bit protected mode, paging off, flat segments, interrupts off (Linux 32-bit boot
 * protocol). Or running is not NULL: that state, and the other members are not used. */
struct vmx_entry {
    uint32_t eip;
    uint32_t esi;    /* boot_params */
    uint32_t gdt_pa; /* guest memory for a GDT of 4 entries, 8-byte aligned */
    const struct vmx_state *running;
};

/* Pages that ept_pool should have for a machine whose RAM ends at this address: to split all of it into 4-KByte pages;
 * and the least that it must have: to split 32 GiB. If the guest executes code in more 2-MByte blocks than there are
 * pages for, it is stopped with a dump. Core. */
uint32_t vmx_ept_pages_needed(uint64_t top_of_memory);
uint32_t vmx_ept_pages_least(uint64_t top_of_memory);

extern const uint32_t vmx_map_memory_size; /* vmx/code/ */

#endif
