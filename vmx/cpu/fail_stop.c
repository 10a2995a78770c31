/* Kind: shell */
/* Fail-stop: report why, dump the VMCS and registers, hand over the trace, park. */
#include "vmx/cpu/fail_stop.h"

#include "base/log.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/entry.h"
#include "vmx/cpu/exit_reasons.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs_fields.h"

/* Only its own CPU touches it. */
struct fail_stop_cpu {
    bool failing;  /* a fail-stop is under way */
    bool has_vmcs; /* the current VMCS is this CPU's */
};
CPU_STATE(fail_stop)

struct named_field {
    uint32_t field;
    const char *name;
};

static const struct named_field dumped[] = {
    {VMCS_EXIT_REASON, "exit reason"},
    {VMCS_EXIT_QUALIFICATION, "exit qualification"},
    {VMCS_GUEST_LINEAR_ADDRESS, "guest-linear address"},
    {VMCS_GUEST_PHYSICAL_ADDRESS, "guest-physical address"},
    {VMCS_INSTRUCTION_ERROR, "VM-instruction error"},
    {VMCS_EXIT_INSTRUCTION_LENGTH, "VM-exit instruction length"},
    {VMCS_EXIT_INTERRUPTION_INFORMATION, "VM-exit interruption information"},
    {VMCS_IDT_VECTORING_INFORMATION, "IDT-vectoring information"},
    {VMCS_ENTRY_INTERRUPTION_INFORMATION, "VM-entry interruption information"},
    {VMCS_GUEST_RIP, "RIP"},
    {VMCS_GUEST_RSP, "RSP"},
    {VMCS_GUEST_RFLAGS, "RFLAGS"},
    {VMCS_GUEST_CR0, "CR0"},
    {VMCS_GUEST_CR3, "CR3"},
    {VMCS_GUEST_CR4, "CR4"},
    {VMCS_GUEST_IA32_EFER, "IA32_EFER"},
    {VMCS_GUEST_CS_SELECTOR, "CS"},
    {VMCS_GUEST_CS_BASE, "CS base"},
    {VMCS_GUEST_CS_LIMIT, "CS limit"},
    {VMCS_GUEST_CS_ACCESS_RIGHTS, "CS access rights"},
    {VMCS_GUEST_SS_SELECTOR, "SS"},
    {VMCS_GUEST_SS_ACCESS_RIGHTS, "SS access rights"},
    {VMCS_GUEST_DS_SELECTOR, "DS"},
    {VMCS_GUEST_DS_ACCESS_RIGHTS, "DS access rights"},
    {VMCS_GUEST_TR_SELECTOR, "TR"},
    {VMCS_GUEST_TR_ACCESS_RIGHTS, "TR access rights"},
    {VMCS_GUEST_GDTR_BASE, "GDTR base"},
    {VMCS_GUEST_IDTR_BASE, "IDTR base"},
    {VMCS_GUEST_INTERRUPTIBILITY_STATE, "interruptibility state"},
    {VMCS_GUEST_ACTIVITY_STATE, "activity state"},
    {VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS, "pending debug exceptions"},
    {VMCS_GUEST_IA32_DEBUGCTL, "IA32_DEBUGCTL"},
    {VMCS_PIN_BASED_CONTROLS, "pin-based controls"},
    {VMCS_PROC_BASED_CONTROLS, "processor-based controls"},
    {VMCS_PROC_BASED_CONTROLS2, "secondary controls"},
    {VMCS_EXIT_CONTROLS, "VM-exit controls"},
    {VMCS_ENTRY_CONTROLS, "VM-entry controls"},
    {VMCS_HOST_RIP, "host RIP"},
    {VMCS_HOST_RSP, "host RSP"},
    {VMCS_HOST_CR3, "host CR3"},
};

/* false: the field cannot be read. Not by vmx/cpu/vmcs.h, which would fail-stop. */
static bool field_read(uint32_t field, uint64_t *value)
{
    uint8_t failed;

    __asm__ volatile("vmread %[field], %[value]"
                     : [value] "=r"(*value), "=@ccbe"(failed)
                     : [field] "r"((uint64_t)field));
    return !failed;
}

static void dump_vmcs(void)
{
    uint64_t value;

    if (field_read(VMCS_EXIT_REASON, &value))
        log_panic("  last VM exit: %s", exit_reason_name(value & 0xffff));
    for (size_t i = 0; i < sizeof dumped / sizeof dumped[0]; i++) {
        if (!field_read(dumped[i].field, &value)) {
            log_panic("the VMCS cannot be read");
            return;
        }
        log_panic("  %-34s %016llx", dumped[i].name, (unsigned long long)value);
    }
}

static void dump_registers(const struct guest_registers *r)
{
    static const char *const names[] = {"RAX", "RCX", "RDX", "RBX", NULL,  "RBP", "RSI", "RDI",
                                        "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    const uint64_t *values = &r->rax;

    for (unsigned i = 0; i < 16; i++)
        if (names[i])
            log_panic("  %-34s %016llx", names[i], (unsigned long long)values[i]);
}

static void (*fail_stop_hand_over)(struct cpu *cpu);

void fail_stop_set_hand_over(void (*hand_over)(struct cpu *cpu))
{
    fail_stop_hand_over = hand_over;
}

void fail_stop_vmcs_ready(struct cpu *cpu)
{
    fail_stop_of(cpu)->has_vmcs = true;
}

_Noreturn void cpu_park(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

/* Others may wait for the lock, and must hand over their traces as well. */
static void stop_all(struct cpu *cpu)
{
    machine_unlock(cpu);
    if (fail_stop_hand_over)
        fail_stop_hand_over(cpu);
}

void vmx_root_fault(void)
{
    struct cpu *cpu = cpu_this();

    if (!cpu || fail_stop_of(cpu)->failing)
        return;
    fail_stop_of(cpu)->failing = true;
    pt_exit(cpu->pt);
    stop_all(cpu);
}

_Noreturn void fail_stop(struct cpu *cpu, const char *why)
{
    if (!cpu || fail_stop_of(cpu)->failing) { /* a second failure: only report its reason */
        log_panic("during startup or fail-stop: %s", why);
        cpu_park();
    }
    fail_stop_of(cpu)->failing = true;
    log_panic("%s on CPU %u; the guest is stopped", why, cpu->number);
    if (fail_stop_of(cpu)->has_vmcs)
        dump_vmcs();
    dump_registers(&cpu->registers);
    stop_all(cpu);
    log_panic("CPU %u is parked", cpu->number);
    cpu_park();
}

_Noreturn void fail_stop_here(const char *why)
{
    fail_stop(cpu_this(), why);
}

_Noreturn void vmcs_access_failed(uint32_t field)
{
    log_panic("VMREAD or VMWRITE of VMCS field %04x failed", field);
    fail_stop_here("VMCS access failed");
}

_Noreturn void vmx_entry_failed(struct guest_registers *registers)
{
    pt_exit(cpu_of(registers)->pt);
    fail_stop(cpu_of(registers), "VM entry failed");
}
