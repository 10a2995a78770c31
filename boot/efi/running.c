/* Kind: shell, init */
#include "boot/efi/running.h"

#include "base/bytes.h"
#include "base/control.h"
#include "base/msr.h"
#include "base/phys.h"

enum { ES, CS, SS, DS, FS, GS, LDTR, TR };

/* SDM Table "Format of Access Rights"; LAR returns the descriptor's second doubleword. */
#define RIGHTS_OF_LAR(lar) ((lar) >> 8 & 0xf0ff)
#define RIGHTS_UNUSABLE 0x10000u
#define RIGHTS_ACCESSED 1u
#define RIGHTS_TSS64_BUSY 0x8bu

#define READ_REGISTER(instruction)                                                                                     \
    ({                                                                                                                 \
        uint64_t value_;                                                                                               \
        __asm__ volatile(instruction : "=r"(value_));                                                                  \
        value_;                                                                                                        \
    })

/* The base in a descriptor of 16 bytes: SDM "TSS Descriptor in 64-bit mode", "LDT". */
static uint64_t system_base(const struct efi_context *context, uint32_t selector)
{
    const uint8_t *descriptor = phys_to_virt(context->gdtr.base + (selector & ~7u));

    return (read64(descriptor) >> 16 & 0xffffff) | (read64(descriptor) >> 56 & 0xff) << 24 |
           (uint64_t)read32(descriptor + 8) << 32;
}

/* SDM "Checks on Guest Segment Registers": of a usable segment the accessed bit must be set. */
static struct vmx_segment segment_of(const struct efi_segment *saved, uint64_t base)
{
    return (struct vmx_segment){.selector = (uint16_t)saved->selector,
                                .limit = saved->limit,
                                .rights =
                                    saved->rights ? RIGHTS_OF_LAR(saved->rights) | RIGHTS_ACCESSED : RIGHTS_UNUSABLE,
                                .base = base};
}

/* VM entry requires a busy TSS, also where the firmware has loaded none. */
static struct vmx_segment task_register_of(const struct efi_context *context)
{
    const struct efi_segment *saved = &context->segments[TR];

    if (!saved->rights)
        return (struct vmx_segment){.limit = 0xffff, .rights = RIGHTS_TSS64_BUSY};
    return (struct vmx_segment){.selector = (uint16_t)saved->selector,
                                .limit = saved->limit,
                                .rights = RIGHTS_TSS64_BUSY,
                                .base = system_base(context, saved->selector)};
}

static struct vmx_segment local_table_of(const struct efi_context *context)
{
    const struct efi_segment *saved = &context->segments[LDTR];

    if (!saved->rights)
        return (struct vmx_segment){.rights = RIGHTS_UNUSABLE};
    return (struct vmx_segment){.selector = (uint16_t)saved->selector,
                                .limit = saved->limit,
                                .rights = RIGHTS_OF_LAR(saved->rights),
                                .base = system_base(context, saved->selector)};
}

void running_read(struct vmx_state *state, const struct efi_context *context, uint64_t rip, uint64_t pat,
                  uint64_t gs_base)
{
    *state = (struct vmx_state){.rip = rip,
                                .rsp = context->rsp,
                                .rflags = RFLAGS_FIXED,
                                .cr0 = READ_REGISTER("mov %%cr0, %0"),
                                .cr3 = context->cr3,
                                .cr4 = READ_REGISTER("mov %%cr4, %0"),
                                .efer = context->efer,
                                .pat = pat,
                                .dr7 = READ_REGISTER("mov %%dr7, %0"),
                                .debugctl = msr_read(IA32_DEBUGCTL),
                                .sysenter_cs = msr_read(IA32_SYSENTER_CS),
                                .sysenter_esp = msr_read(IA32_SYSENTER_ESP),
                                .sysenter_eip = msr_read(IA32_SYSENTER_EIP),
                                .gdt_base = context->gdtr.base,
                                .gdt_limit = context->gdtr.limit,
                                .idt_base = context->idtr.base,
                                .idt_limit = context->idtr.limit};
    for (unsigned i = ES; i <= GS; i++)
        state->segments[i] = segment_of(&context->segments[i], 0);
    state->segments[FS].base = msr_read(IA32_FS_BASE);
    state->segments[GS].base = gs_base;
    state->segments[LDTR] = local_table_of(context);
    state->segments[TR] = task_register_of(context);
}
