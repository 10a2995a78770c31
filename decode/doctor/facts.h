/* Facts about a Linux machine that is to be booted under the hypervisor. Values only. */
#ifndef DECODE_DOCTOR_FACTS_H
#define DECODE_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/caps.h"
#include "vmx/caps.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

struct facts_cpu {
    char vendor[16], name[64];
    unsigned family, model, stepping;
    unsigned nr_cpus;      /* online */
    bool cpuid_known;      /* else vmx.cpuid_1_ecx and pt have what the kernel reports of them */
    bool flag_vmx;         /* Linux clears it if the firmware has locked VMX off (5.6 and later) */
    bool hypervisor;       /* CPUID.1:ECX[31] */
    bool x2apic_locked;    /* IA32_XAPIC_DISABLE_STATUS[0], in x2APIC mode */
    bool msrs_known;       /* else the values of all MSRs are 0 */
    struct vmx_caps vmx;   /* of the first CPU */
    struct pt_cpuid pt;    /* of the first CPU */
    unsigned other_cpu;    /* the first CPU with a different Intel PT */
    const char *other_why; /* what differs; NULL: no difference was found */
};

/* A PCI function: a network card or a serial port. */
struct facts_card {
    char slot[16]; /* as lspci -D prints it: 0000:00:1f.6 */
    uint32_t id;   /* the first doubleword of its configuration space: device and vendor */
    uint8_t revision;
    char interface[16]; /* Linux's name; "": no driver is bound to it */
    enum answer link;
    bool carries_default_route;
};
#define FACTS_MAX_CARDS 32u

struct facts_kernel {
    char name[64];     /* in /boot */
    const char *error; /* why the hypervisor cannot load it; NULL: it can */
    bool unread;       /* the file could not be read; error is NULL */
};
#define FACTS_MAX_KERNELS 32u

/* What makes GRUB's menu. */
enum menu_maker { MENU_UNKNOWN, MENU_UPDATE_GRUB, MENU_GRUB2_MKCONFIG, MENU_GRUB_MKCONFIG };

struct facts_boot {
    char menu[32]; /* GRUB's menu; "": there is none */
    enum menu_maker maker;
    bool bls;           /* GRUB reads entries of kernels from /boot/loader/entries */
    bool saved_default; /* grub-reboot has an effect */
    bool systemd_boot;  /* the boot loader is systemd-boot */
    bool shim;          /* shim started the boot loader */
    char esp[32];       /* where the EFI system partition is mounted; "": not found */
    char esp_disk[32];  /* the disk that it is on, "/dev/nvme0n1"; "": not known */
    unsigned esp_partition;
    const char *platform;  /* GRUB's name of the firmware: "i386-pc" */
    char module[128];      /* the file of the module multiboot2 where GRUB finds it; "": not there */
    char module_kept[64];  /* a directory from which it can be copied; "": none */
    uint64_t module_bytes; /* the size of module_kept, where it has to be copied */
    bool debian;
    bool image, script, in_menu; /* undertrace.elf, its script for the menu, and its entries are there */
    bool space_known;
    uint64_t free_bytes; /* in /boot */
};

struct facts {
    struct facts_cpu cpu;
    struct facts_card cards[FACTS_MAX_CARDS]; /* network cards by slot, in the hypervisor's order */
    size_t nr_cards;
    char uarts[4][8]; /* those of ttyS0 to ttyS3 that exist */
    size_t nr_uarts;
    bool efi;
    enum answer secure_boot;
    bool dmar;             /* an ACPI table DMAR */
    unsigned nr_iommus;    /* VT-d units that Linux drives */
    uint64_t memory_bytes; /* 0: not known */
    struct facts_kernel kernels[FACTS_MAX_KERNELS];
    size_t nr_kernels;
    bool boot_seen; /* /boot is not empty */
    struct facts_boot boot;
};

/* Read the files under root: "/" for this machine, or a directory with files of another one. Facts whose files cannot
 * be read stay unknown. */
void facts_read(struct facts *facts, const char *root);

#endif
