/*
 * The firmware's state of a CPU, as boot/efi/context.inc saves it, and the memory that boot/efi/'s assembly and C
 * share. For C and assembly.
 */
#ifndef BOOT_EFI_CONTEXT_H
#define BOOT_EFI_CONTEXT_H

/* struct efi_context */
#define CONTEXT_RSP 0
#define CONTEXT_CR3 8
#define CONTEXT_EFER 16
#define CONTEXT_GDTR 24
#define CONTEXT_IDTR 40
#define CONTEXT_OWN_GDTR 56
#define CONTEXT_OWN_IDTR 72
#define CONTEXT_SEGMENTS 88 /* eight of 16 bytes: ES, CS, SS, DS, FS, GS, LDTR, TR */
#define CONTEXT_SIZE 216

#define SEGMENT_SELECTOR 0
#define SEGMENT_LIMIT 4
#define SEGMENT_RIGHTS 8 /* as LAR returns them; 0: the register cannot be used */
#define SEGMENT_SIZE 16

/* struct efi_area */
#define AREA_CONTEXT 0
#define AREA_CALL 216 /* function, eight arguments */
#define AREA_CR3 288
#define AREA_AP_MAIN 296
#define AREA_LOADED 304
#define AREA_START_IMAGE 312
#define AREA_BUFFER 4096
#define AREA_BUFFER_SIZE (15 * 4096)
#define AREA_HOOK (AREA_BUFFER + AREA_BUFFER_SIZE)
#define AREA_SIZE (AREA_HOOK + 4096)

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct __attribute__((packed)) efi_table_register {
    uint16_t limit;
    uint64_t base;
    uint8_t padding[6];
};

struct efi_segment {
    uint32_t selector, limit, rights, reserved;
};

struct efi_context {
    uint64_t rsp, cr3, efer;
    struct efi_table_register gdtr, idtr;
    struct efi_table_register own_gdtr, own_idtr; /* ours, while the firmware runs */
    struct efi_segment segments[8];
};
_Static_assert(offsetof(struct efi_context, efer) == CONTEXT_EFER, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_context, gdtr) == CONTEXT_GDTR, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_context, own_gdtr) == CONTEXT_OWN_GDTR, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_context, segments) == CONTEXT_SEGMENTS, "boot/efi/gate.S");
_Static_assert(sizeof(struct efi_context) == CONTEXT_SIZE, "boot/efi/gate.S");

#define EFI_MAX_ARGUMENTS 8u
#define EFI_LINE_MAX 2048u

/* In the copy of the image that boot/efi/entry.S makes; it is never moved. */
struct efi_area {
    struct efi_context first; /* of the first CPU, which has called our entry point */
    uint64_t function, arguments[EFI_MAX_ARGUMENTS];
    uint64_t cr3, ap_main;        /* what the other CPUs load and call: boot/efi/cpus.c */
    uint64_t loaded, start_image; /* the image to be started as the guest, 0: none; EFI_BOOT_SERVICES.StartImage() */
    uint64_t result, size;        /* what functions return by pointer */
    uint64_t words[4];            /* ... and more of it */
    uint8_t guid[16];
    uint8_t padding[AREA_BUFFER - AREA_START_IMAGE - 72 - EFI_LINE_MAX];
    char line[EFI_LINE_MAX];          /* the command line */
    uint8_t buffer[AREA_BUFFER_SIZE]; /* what the firmware's functions read and write for us */
    uint8_t hook[4096];               /* boot/efi/hook.c */
};
_Static_assert(offsetof(struct efi_area, function) == AREA_CALL, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_area, cr3) == AREA_CR3, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_area, ap_main) == AREA_AP_MAIN, "boot/efi/gate.S");
_Static_assert(offsetof(struct efi_area, start_image) == AREA_START_IMAGE, "boot/efi/gate.S");
_Static_assert(sizeof(struct efi_area) == AREA_SIZE, "boot/efi/entry.S");
#endif

#endif
