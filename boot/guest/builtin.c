/* Kind: shell, init */
#include "boot/guest/builtin.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/guest/builtin_guest.h"
#include "boot/screen/screen.h"

extern const uint8_t builtin_guest[], builtin_guest_end[]; /* boot/guest/builtin_guest.S */

/* A write that all trace is sent for first (vmx/io_ports.h). SLP_EN with the SLP_TYP 0: in most machines S0, which
 * leaves the screen as it is. Else the keyboard controller's pulse at the reset line. */
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

void builtin_tell(uint32_t base, const struct acpi_facts *acpi, bool soft)
{
    const struct parameters told = {
        .rounds = soft ? BUILTIN_ROUNDS_SOFT : BUILTIN_ROUNDS,
        .port = acpi->pm1a_cnt ? acpi->pm1a_cnt : KEYBOARD_PORT,
        .value = acpi->pm1a_cnt ? SLP_EN : KEYBOARD_RESET,
    };
    *(struct parameters *)phys_to_virt(base + BUILTIN_PARAMETERS) = told;
    log_line(BUILTIN_LOG "%u rounds, then a write to port %x; `undertrace hardware` judges what was received",
             told.rounds, told.port);
}
