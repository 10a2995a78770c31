# Undertrace. `make run` does the main job in the emulator, `make test` passes the tests; `make help` lists all goals.
# This file holds the goals. The rules that build things are in mk/, one file for each kind of product.

BUILD := build
ifeq ($(origin CC),default)
CC := gcc
endif
LD := ld
Q := $(if $(V),,@)
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help run sample run-kvm model test test-nested check soak fuzz lint bench coverage units clean lib install \
    install-boot uninstall-boot deb dist iso
all:

# Warnings of every C compilation. They are errors where `make check` and `make test` compile.
WARN := -Wall -Wextra -Wshadow -Wundef -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla $(WERROR)

include mk/hypervisor.mk mk/host.mk mk/install.mk mk/guests.mk mk/fuzz.mk mk/tests.mk mk/editor.mk

# --- goals ------------------------------------------------------------------------------------------------------------
# Each goal first installs the packages that it needs, then builds its parts in a make of its own, then runs its script:
# a rule can only look for a compiler or a header after the packages are there. RUN=: leaves the script out.

RUN :=
PARTS := $(BUILD)/undertrace.elf $(BUILD)/undertrace $(BUILD)/bochs
SUBMAKE = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) $(if $(V),,-s)
STRICT = WERROR=-Werror

#: make run             boot Debian's kernel under the hypervisor in the emulator, trace, decode and report.
#:                      Variables: KERNEL= INITRD= CMDLINE= OPTIONS= (docs/options.md) CPUS= MEMORY= DISK=image
#:                      (with KERNEL=: that kernel's disk; without: boot that disk's own boot sector)
#:                      GUEST=kernel (default), userland (bash, perl and more) or debian (a whole Debian 12 on a disk)
run:
	@tests/rig/deps.sh run
	@$(if $(filter debian,$(GUEST)),tests/rig/deps.sh debian)
	@mkdir -p $(BUILD) && date +%s.%N >$(BUILD)/run.start
	+@$(SUBMAKE) $(PARTS) $(BUILD)/undertrace.iso $(DISK)
	@GUEST=$(GUEST) $(RUN) tests/rig/run.sh

#: make sample          a smaller capture than that of make run, to try the host tool on: build/sample/capture
sample:
	@tests/rig/deps.sh run
	+@$(SUBMAKE) $(PARTS) $(BUILD)/guest/moved $(BUILD)/guest/initrd
	@$(RUN) tests/rig/sample.sh

#: make run-kvm         the same under QEMU/KVM with nested VMX; fails where this machine cannot. A script that must
#:                      distinguish "cannot" (77) from "failed" (1) calls tests/rig/run-kvm.sh all (docs/ci.md)
run-kvm:
	@$(RUN) tests/rig/run-kvm.sh check
	@tests/rig/deps.sh kvm
	+@$(SUBMAKE) $(BUILD)/undertrace $(BUILD)/undertrace.iso
	@LIVE=1 $(RUN) tests/rig/run-kvm.sh run

#: make test            all tests, boots in the emulator included; the last line counts them
test:
	@tests/rig/deps.sh test
	+@$(SUBMAKE) $(STRICT) $(TEST_PARTS)
	@$(RUN) tests/rig/runner.sh $(CHECKS) $(SYSTEM)

#: make test-nested     tests under KVM and QEMU, which run in the emulator: this machine needs no VMX
test-nested:
	@tests/rig/deps.sh nested
	+@$(SUBMAKE) $(NESTED_PARTS)
	@$(RUN) tests/rig/runner.sh $(NESTED)

#: make check           unit tests and lint, under 3 minutes
check:
	@tests/rig/deps.sh check
	+@$(SUBMAKE) $(STRICT) $(UNIT) $(FUZZ_REPLAYS) $(HV_OBJS) $(TOOL_OBJS)
	@$(RUN) tests/rig/runner.sh $(CHECKS)

#: make lint            formatting, cppcheck and the rules of the source
lint:
	@tests/rig/deps.sh check
	@$(RUN) tests/rig/runner.sh tests/rig/lint.sh

#: make soak            hours of more: the instruction decoder on all of /usr, a whole Debian, other kernels, many seeds.
#:                      Variables: SEEDS= COUNT= SOAK="instructions debian uefi kernels names perf_data tutorial packages
#:                      many_cpus portable chroot random matrix"
soak:
	@tests/rig/deps.sh test
	@tests/rig/deps.sh debian
	+@$(SUBMAKE) $(SOAK_PARTS)
	@$(RUN) tests/rig/soak.sh

#: make fuzz            the fuzz targets by libFuzzer. Variables: FUZZ_SECONDS= each (60), FUZZ= which
fuzz:
	@tests/rig/deps.sh fuzz
	+@$(SUBMAKE) $(FUZZ:%=$(BUILD)/fuzz/fuzz_%)
	@$(RUN) tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZ)

#: make bench           the cost of tracing, the decoder's speed, and the cost of the PT model to the emulator
bench:
	@tests/rig/deps.sh bench
	+@$(SUBMAKE) $(BENCH_PARTS)
	@for part in "" _guests _decode _live _kvm _soft _schemes _model; do $(RUN) tests/rig/bench$$part.sh || exit 1; done

#: make coverage        how much of core the unit tests execute
coverage:
	@tests/rig/deps.sh check
	+@$(SUBMAKE) BUILD=$(BUILD)/coverage SANITIZE=--coverage units
	@BUILD=$(BUILD)/coverage $(RUN) tests/rig/coverage.sh

#: make units           only build the unit tests: build/check/unit/ROOM/test_NAME
units:
	@tests/rig/deps.sh check
	+@$(SUBMAKE) $(UNIT)

#: make model           the emulator with the PT model: build/bochs
model:
	@tests/rig/deps.sh model
	+@$(SUBMAKE) $(BUILD)/bochs

#: make iso             build/undertrace.iso, a bootable image for a USB stick or an emulator; variables as for run
iso:
	@tests/rig/deps.sh run
	+@$(SUBMAKE) $(BUILD)/undertrace.iso

#: make all             the hypervisor (build/undertrace.elf, build/undertrace.efi) and the host tool (build/undertrace);
#:                      also just make
all:
	@tests/rig/deps.sh compile
	+@$(SUBMAKE) $(BUILD)/undertrace.elf $(BUILD)/undertrace.efi $(BUILD)/undertrace

#: make lib             the library that reads captures: build/libundertrace.a, build/libundertrace.so
lib:
	@tests/rig/deps.sh compile
	+@$(SUBMAKE) $(LIB_FILES)

#: make install         the host tool, library and manual pages. Variables: PREFIX=/usr/local LIBDIR=lib DESTDIR=
#: make install-boot    on the machine to be traced: the image and its entries in GRUB's menu (docs/install.md)
#: make uninstall-boot  remove them again
#: make deb             Debian packages of all that, in build/deb
#: make dist            the source as a tarball, in build/dist: of one commit always the same bytes
#: make compile_commands.json  for clangd and other editors' servers

#: make clean           remove build/
clean:
	rm -rf $(BUILD) compile_commands.json

#: make help            this list. V=1 with any goal shows the commands
help:
	@sed -n 's/^#: //p' Makefile
