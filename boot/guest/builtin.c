/* Kind: shell, init */
#include "boot/guest/builtin.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "boot/guest/builtin_guest.h"

extern const uint8_t builtin_guest[], builtin_guest_end[]; /* boot/guest/builtin_guest.S */

/* The guest ends with a write that makes vmx/ send all trace first (vmx/policy/io_ports.h): to PM1a_CNT with SLP_EN and
 * SLP_TYP 0, which is S0 on most machines and keeps the screen; without ACPI, to the keyboard controller to pulse the
 * reset line. */
#define SLP_EN 0x2000u
#define KEYBOARD_PORT 0x64u
#define KEYBOARD_RESET 0xfeu

struct parameters {
    uint32_t rounds;
    uint16_t port, value;
};

void builtin_find(struct guest *guest)
{
    *guest = (struct guest){.line = ""};
    const enum linux_error error =
        linux_check(&guest->kernel, builtin_guest, (size_t)(builtin_guest_end - builtin_guest));
    if (error)
        boot_fail("the built-in guest: %s", linux_error_text(error));
}

void builtin_set_parameters(uint32_t base, const struct acpi_facts *acpi, bool soft)
{
    const struct parameters parameters = {
        .rounds = soft ? BUILTIN_ROUNDS_SOFT : BUILTIN_ROUNDS,
        .port = acpi->pm1a_cnt ? acpi->pm1a_cnt : KEYBOARD_PORT,
        .value = acpi->pm1a_cnt ? SLP_EN : KEYBOARD_RESET,
    };
    *(struct parameters *)phys_to_virt(base + BUILTIN_PARAMETERS) = parameters;
    log_line(BUILTIN_LOG "%u rounds, then a write to port %x; check the capture with `undertrace hardware`",
             parameters.rounds, parameters.port);
}
