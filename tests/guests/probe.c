/*
 * probe: looks at everything that a hypervisor could get wrong, and prints what it sees, one "name value" a line. The
 * same guest is run on the bare emulated CPU; what differs must be on docs/visible.md
 * (tests/system/guest/transparent.sh).
 */
#include "probe.h"

volatile uint64_t fault, fault_rf, resume;
uint64_t result_a, result_d, operand[2];

/* The handlers resume after the instruction that was tried. */
static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    fault = 6;
    fault_rf = frame->rflags >> 16 & 1;
    frame->rip = resume;
}

static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    fault = 13 + error * 256;
    fault_rf = frame->rflags >> 16 & 1;
    frame->rip = resume;
}
static void hex(uint64_t value)
{
    char digits[17];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    digits[16] = 0;
    console_text(digits);
}

void say(const char *name, uint64_t value)
{
    console_text("probe: ");
    console_text(name);
    console_text(" ");
    hex(value);
    console_text("\r\n");
}

void say2(const char *name, uint64_t which, uint64_t value)
{
    console_text("probe: ");
    console_text(name);
    console_text("_");
    hex(which);
    console_text(" ");
    hex(value);
    console_text("\r\n");
}
struct regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct regs r = {0xffffffff00000000ull | leaf, ~0ull, 0xffffffff00000000ull | subleaf, ~0ull};
    __asm__ volatile("cpuid" : "+a"(r.rax), "+b"(r.rbx), "+c"(r.rcx), "+d"(r.rdx));
    return r;
}
void wrmsr(const char *name, uint32_t msr, uint64_t value)
{
    ATTEMPT("wrmsr", (uint32_t)value, msr, value >> 32, operand);
    say(name, fault);
}
void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(13, (void *)on_protection, 0);
    APIC(0xf0) = 0x1ff;
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);

    probe_cpu();
    probe_events();
    probe_devices(boot_params);
    console_text("probe: done 0\r\n");
}
