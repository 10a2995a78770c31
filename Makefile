# Undertrace. `make run` does the main job in the emulator, `make test` passes the tests; `make help` lists the rest.

BUILD := build
CC := gcc
LD := ld
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# --- which source is what ---------------------------------------------------------------------------------------------
# Core: pure logic, compiled freestanding into the hypervisor and hosted into tests, host tool and model.
# Shell: touches hardware.

CORE_BOOT := $(wildcard boot/mb2.c boot/carve.c boot/options.c boot/linux.c boot/acpi.c)
CORE_VMX := $(wildcard vmx/caps.c vmx/mtrr.c vmx/ept_maths.c vmx/cpuid_policy.c vmx/msr_policy.c vmx/inject.c)
CORE_PT := $(wildcard pt/encode.c pt/parse.c pt/topa.c pt/caps.c pt/plan.c pt/ring.c)
CORE_SERIAL := $(wildcard serial/frame.c serial/crc32c.c serial/window.c serial/net.c serial/format.c)
CORE := $(CORE_BOOT) $(CORE_VMX) $(CORE_PT) $(CORE_SERIAL)

SHELL_C := $(filter-out $(CORE),$(wildcard boot/*.c vmx/*.c pt/*.c serial/*.c))
SHELL_S := $(wildcard boot/*.S vmx/*.S)

# --- the hypervisor ---------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wundef -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror
HV_CFLAGS := -std=c11 -O2 -g $(WARN) -ffreestanding -fpie -fvisibility=hidden -mno-red-zone -mgeneral-regs-only -mcrc32 \
    -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -fno-jump-tables -fno-common -I. -MMD -MP
HV_OBJS := $(patsubst %.c,$(BUILD)/hv/%.o,$(CORE) $(SHELL_C)) $(patsubst %.S,$(BUILD)/hv/%.S.o,$(SHELL_S))

$(BUILD)/hv/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HV_CFLAGS) -c -o $@ $<

$(BUILD)/hv/%.S.o: %.S
	@mkdir -p $(@D)
	$(CC) $(HV_CFLAGS) -c -o $@ $<

$(BUILD)/undertrace.elf: $(HV_OBJS) linker.ld
	$(LD) -nostdlib -static -no-pie -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments --build-id=none -T linker.ld -o $@ $(HV_OBJS)

-include $(HV_OBJS:.o=.d)
