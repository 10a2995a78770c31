# Undertrace. `make run` does the main job in the emulator, `make test` passes the tests; `make help` lists the rest.

BUILD := build
CC := gcc
LD := ld
Q := $(if $(V),,@)
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: all help run run-kvm model test test-nested check soak fuzz lint bench coverage units clean
all: $(BUILD)/undertrace.elf $(BUILD)/undertrace

# --- which source is what ---------------------------------------------------------------------------------------------
# Core: pure logic, compiled freestanding into the hypervisor and hosted into tests, host tool and model.
# Shell: touches hardware.

CORE_BOOT := boot/acpi.c boot/carve.c boot/dmar.c boot/dmar_choice.c boot/dmar_fault.c boot/dmar_start.c \
    boot/dmar_switch.c boot/dmar_tables.c boot/efi_map.c boot/findings.c \
    boot/font.c boot/linux.c boot/linux_params.c boot/madt.c boot/mb2.c boot/option.c boot/options.c \
    boot/options_change.c boot/options_net.c boot/options_pt.c boot/pt_same.c boot/sleep_types.c boot/spcr.c \
    boot/text.c boot/value.c boot/value_places.c
CORE_VMX := vmx/caps.c vmx/cpuid_policy.c vmx/ept_maths.c vmx/exit_reasons.c vmx/guest_data.c vmx/guest_walk.c \
    vmx/inject.c vmx/io_ports.c vmx/msr_policy.c vmx/mtrr.c vmx/page_sums.c vmx/pmi.c vmx/task_state.c
CORE_PT := pt/caps.c pt/encode.c pt/fault.c pt/instruction.c pt/instruction_table.c pt/offer.c pt/output.c pt/parse.c \
    pt/plan.c pt/range.c pt/region_ring.c pt/scheme.c pt/single.c pt/soft_enables.c pt/soft_flow.c pt/soft_output.c \
    pt/soft_packets.c pt/topa.c
CORE_SERIAL := serial/announce.c serial/command.c serial/command_line.c serial/crc32c.c serial/datagram.c \
    serial/dhcp.c serial/dhcp_answer.c serial/e1000.c serial/e1000_cards.c serial/e1000_reset.c serial/format.c \
    serial/frame.c serial/lease.c serial/lpss.c serial/net.c serial/nic.c serial/pace.c serial/pci_ecam.c \
    serial/pci_path.c serial/pci_power.c serial/realtek_cards.c serial/realtek_reset.c serial/realtek_ring.c \
    serial/sink.c serial/sink_cut.c serial/stream.c serial/window.c
CORE := $(CORE_BOOT) $(CORE_VMX) $(CORE_PT) $(CORE_SERIAL)

SHELL_C := $(filter-out $(CORE),$(wildcard boot/*.c vmx/*.c pt/*.c serial/*.c))
SHELL_S := $(wildcard boot/*.S vmx/*.S)

# --- the hypervisor ---------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wundef -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror
HV_CFLAGS := -std=c11 -O2 -g $(WARN) -ffreestanding -fpie -fvisibility=hidden -mno-red-zone -mgeneral-regs-only -mcrc32 \
    -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -fno-jump-tables -fno-common \
    -falign-functions=1 -falign-loops=1 -falign-jumps=1 \
    -ffunction-sections -fdata-sections -ffile-prefix-map=$(CURDIR)=. -I. -MMD -MP
# Linked as one program, so that the short functions of core cost no calls; the objects hold code as well, for core.sh.
HV_LTO := -flto -flto-partition=one -ffat-lto-objects
HV_LDFLAGS := -nostdlib -static -no-pie -Wl,--gc-sections,-z,max-page-size=4096,-z,noexecstack,--no-warn-rwx-segments,--build-id=none
HV_OBJS := $(patsubst %.c,$(BUILD)/hv/%.o,$(CORE) $(SHELL_C)) $(patsubst %.S,$(BUILD)/hv/%.S.o,$(SHELL_S))

# What runs at each exit, for each record or for each byte should be fast, all else small.
HOT := pt/drain.c pt/engine.c pt/lvtpc.c pt/plan.c pt/pmi.c pt/range.c pt/record.c pt/region_ring.c pt/registers.c \
    pt/single.c serial/crc32c.c serial/format.c serial/net.c serial/sink.c serial/stream.c serial/udp_send.c \
    serial/udp_sink.c serial/window.c vmx/cpuid_policy.c vmx/exits.c vmx/guest.c vmx/guest_map.c vmx/guest_memory.c \
    vmx/guest_walk.c vmx/inject.c vmx/nmi.c vmx/page_fault.c vmx/page_sums.c vmx/trace_switch.c
$(patsubst %.c,$(BUILD)/hv/%.o,$(filter-out $(HOT),$(CORE) $(SHELL_C))): HV_CFLAGS += -Os

# What runs before the guest and never again lies behind the image (linker.ld: the second act), with its tables and texts.
# It is linked by itself: a text that it shared with the rest would be the rest's. Single functions: base/acts.h.
BEFORE_GUEST := boot/acpi.c boot/aps.c boot/builtin.c boot/carve.c boot/channel.c boot/channel_card.c boot/check.c \
    boot/dmar.c boot/dmar_choice.c boot/dmar_start.c boot/dmar_tables.c boot/efi_map.c boot/findings.c boot/font.c boot/guest.c \
    boot/hello.c boot/image.c boot/linux.c boot/linux_params.c boot/madt.c boot/main.c boot/mb2.c boot/options.c \
    boot/options_net.c boot/options_pt.c boot/paging.c boot/plan.c boot/protect.c boot/pt_same.c boot/remapping.c \
    boot/screen.c boot/selftest.c boot/selftest_facts.c boot/selftest_wire.c boot/sleep_types.c boot/spcr.c \
    boot/text.c boot/tracing.c boot/uart_find.c boot/value_places.c serial/announce.c serial/dhcp.c serial/e1000.c \
    serial/e1000_cards.c serial/e1000_reset.c serial/lpss.c serial/nic.c serial/nic_mmio.c serial/pci.c \
    serial/pci_ecam.c serial/pci_path.c serial/pci_power.c serial/realtek_cards.c serial/realtek_reset.c \
    serial/udp_find.c serial/udp_start.c vmx/caps.c vmx/vmx.c
# A name in a list that no file has would vanish without a word, and the file be taken for another kind.
MISSING := $(filter-out $(wildcard $(CORE) $(HOT) $(BEFORE_GUEST)),$(CORE) $(HOT) $(BEFORE_GUEST))
$(if $(MISSING),$(error the lists name files that do not exist: $(MISSING)))

$(patsubst %.c,$(BUILD)/hv/%.o,$(BEFORE_GUEST)): HV_LTO := -include boot/hidden.h
$(patsubst %.c,$(BUILD)/hv/%.o,$(BEFORE_GUEST)): BEHIND_IMAGE = objcopy --prefix-alloc-sections=.second_act $@

$(BUILD)/hv/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HV_CFLAGS) $(HV_LTO) -c -o $@ $<
	$(Q)$(BEHIND_IMAGE)

$(BUILD)/hv/%.S.o: %.S
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HV_CFLAGS) -c -o $@ $<

$(BUILD)/undertrace.elf: $(HV_OBJS) linker.ld
	@echo "  LD  $@"
	$(Q)$(CC) $(HV_CFLAGS) $(HV_LTO) $(HV_LDFLAGS) -T linker.ld -o $@ $(HV_OBJS)

# --- the host tool ----------------------------------------------------------------------------------------------------

# Of core it takes the wire and the packets; and for `undertrace doctor` the hypervisor's own judgement of a machine.
PAGE_C := $(BUILD)/page/page_text.c
TOOL_C := $(wildcard decode/*/*.c) $(PAGE_C)
DOCTOR_CORE := vmx/caps.c pt/caps.c pt/offer.c pt/scheme.c boot/pt_same.c boot/linux.c boot/linux_params.c boot/carve.c serial/format.c \
    serial/nic.c $(filter serial/e1000% serial/realtek%,$(CORE_SERIAL))
TOOL_CORE := pt/parse.c pt/instruction.c pt/instruction_table.c serial/frame.c serial/crc32c.c serial/command.c $(DOCTOR_CORE)
TOOL_LIB := $(filter-out decode/cli/main.c,$(TOOL_C))
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -g -pthread $(WARN) -ffile-prefix-map=$(CURDIR)=. -I. -MMD -MP
# What a distribution wants of its programs besides: packaging/debian/rules. The hypervisor has flags of its own alone.
DIST_CFLAGS :=
DIST_LDFLAGS :=
TOOL_OBJS := $(patsubst %.c,$(BUILD)/host/%.o,$(TOOL_CORE) $(TOOL_C))

# Zydis disassembles for `undertrace trace`, libdw of elfutils tells lines of sources, where they are there (packages
# libzydis-dev, which has no file for pkg-config, and libdw-dev).
has = $(shell printf '\043include <$(1)>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo 1)
HAVE_ZYDIS := $(call has,Zydis/Zydis.h)
HAVE_LIBDW := $(call has,elfutils/libdwfl.h)
EXTRA_LIBS := $(if $(HAVE_ZYDIS),-lZydis) $(if $(HAVE_LIBDW),-ldw)
EXTRA_INPUTS := $(BUILD)/extra.inputs
ifneq ($(file <$(EXTRA_INPUTS)),zydis=$(HAVE_ZYDIS) libdw=$(HAVE_LIBDW))
$(shell mkdir -p $(BUILD))
$(file >$(EXTRA_INPUTS),zydis=$(HAVE_ZYDIS) libdw=$(HAVE_LIBDW))
endif

$(BUILD)/host/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) $(OF_FILE) -O2 $(DIST_CFLAGS) -c -o $@ $<

$(BUILD)/host/decode/cli/disassembly.o: OF_FILE = $(if $(HAVE_ZYDIS),-DHAVE_ZYDIS)
$(BUILD)/host/decode/cli/source_line.o: OF_FILE = $(if $(HAVE_LIBDW),-DHAVE_LIBDW)
$(BUILD)/host/decode/cli/disassembly.o $(BUILD)/host/decode/cli/source_line.o: $(EXTRA_INPUTS)

$(BUILD)/undertrace: $(TOOL_OBJS)
	@echo "  LD  $@"
	$(Q)$(CC) $(DIST_LDFLAGS) -o $@ $^ $(EXTRA_LIBS) -pthread

# The HTML page without its data, as a C file.
$(PAGE_C): decode/page/bundle.sh $(wildcard decode/page/web/*)
	@echo "  PAGE $@"
	$(Q)decode/page/bundle.sh $@

# For tests: the same with libipt beside our own engine, --engine=libipt.
JUDGE := $(wildcard tests/judge/*.c)
JUDGE_OBJS := $(patsubst %.c,$(BUILD)/host/%.o,$(TOOL_CORE) $(TOOL_LIB) $(JUDGE))

$(BUILD)/undertrace-judge: $(JUDGE_OBJS)
	@echo "  LD  $@"
	$(Q)$(CC) -o $@ $^ -lipt $(EXTRA_LIBS) -pthread

# --- the library ------------------------------------------------------------------------------------------------------
# One object whose only names are those of lib/undertrace.map; all others stay inside, in the archive too.

LIB_VERSION := 0.1
LIB_SONAME := libundertrace.so.0
LIB_C := $(wildcard lib/*.c $(addsuffix /*.c,$(addprefix decode/,capture code engine flow foreign))) \
    $(addprefix decode/report/,error_text.c cause_text.c dump_line.c)
LIB_OBJS := $(patsubst %.c,$(BUILD)/lib/%.o,pt/parse.c pt/instruction.c pt/instruction_table.c serial/crc32c.c $(LIB_C))
LIB_FILES := $(BUILD)/libundertrace.a $(BUILD)/libundertrace.so

.PHONY: lib install
lib: $(LIB_FILES)

$(BUILD)/lib/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) -O2 $(DIST_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(BUILD)/libundertrace.so: $(LIB_OBJS) lib/undertrace.map
	@echo "  LD  $@"
	$(Q)$(CC) -shared -Wl,-soname,$(LIB_SONAME),--version-script=lib/undertrace.map,-z,defs,-z,relro,-z,now \
	    $(DIST_LDFLAGS) -o $@ $(LIB_OBJS) -pthread

$(BUILD)/libundertrace.a: $(LIB_OBJS) lib/undertrace.map
	@echo "  AR  $@"
	$(Q)sed -n 's/^ *\(undertrace_[a-z_]*\);/\1/p' lib/undertrace.map >$(BUILD)/lib/names
	$(Q)$(LD) -r -o $(BUILD)/lib/all.o $(LIB_OBJS)
	$(Q)objcopy --keep-global-symbols=$(BUILD)/lib/names $(BUILD)/lib/all.o $(BUILD)/lib/undertrace.o
	@rm -f $@
	$(Q)ar rcs $@ $(BUILD)/lib/undertrace.o

PREFIX := /usr/local
LIBDIR := lib
DESTDIR :=
TO = $(DESTDIR)$(PREFIX)
install: $(BUILD)/undertrace $(LIB_FILES)
	install -D -m 755 $(BUILD)/undertrace $(TO)/bin/undertrace
	install -D -m 644 decode/undertrace.1 $(TO)/share/man/man1/undertrace.1
	install -D -m 644 complete/undertrace $(TO)/share/bash-completion/completions/undertrace
	install -D -m 644 lib/libundertrace.3 $(TO)/share/man/man3/libundertrace.3
	install -D -m 644 lib/undertrace.h $(TO)/include/undertrace.h
	install -D -m 644 $(BUILD)/libundertrace.a $(TO)/$(LIBDIR)/libundertrace.a
	install -D -m 755 $(BUILD)/libundertrace.so $(TO)/$(LIBDIR)/libundertrace.so.$(LIB_VERSION)
	ln -sf libundertrace.so.$(LIB_VERSION) $(TO)/$(LIBDIR)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(TO)/$(LIBDIR)/libundertrace.so
	@mkdir -p $(TO)/$(LIBDIR)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(LIB_VERSION)|' lib/undertrace.pc.in >$(TO)/$(LIBDIR)/pkgconfig/undertrace.pc
	ln -sf undertrace.pc $(TO)/$(LIBDIR)/pkgconfig/libundertrace.pc

# The machine that is traced has another part than the one that receives: the image, and what puts it into GRUB's menu.
# These places are GRUB's, whatever PREFIX is. What is there of /etc/default/undertrace is the machine's own.
.PHONY: install-boot uninstall-boot
install-boot: $(BUILD)/undertrace.elf
	install -D -m 644 $(BUILD)/undertrace.elf $(DESTDIR)/boot/undertrace.elf
	install -D -m 755 packaging/grub.d/25_undertrace $(DESTDIR)/etc/grub.d/25_undertrace
	[ -e $(DESTDIR)/etc/default/undertrace ] || install -D -m 644 packaging/default/undertrace $(DESTDIR)/etc/default/undertrace
	install -D -m 644 packaging/undertrace-boot.7 $(TO)/share/man/man7/undertrace-boot.7

uninstall-boot:
	rm -f $(DESTDIR)/boot/undertrace.elf $(DESTDIR)/etc/grub.d/25_undertrace $(DESTDIR)/etc/default/undertrace \
	    $(TO)/share/man/man7/undertrace-boot.7

# Debian packages, in build/deb.
.PHONY: deb
deb:
	@tests/rig/deps.sh deb
	@packaging/deb.sh $(BUILD)/deb

# --- the emulator with the PT model -----------------------------------------------------------------------------------
# tests/model/build.sh fetches Bochs, adds the model and builds; BOCHS_TARBALL= names a local tarball.

MODEL_INPUTS := $(wildcard tests/model/*) pt/encode.c pt/packet.h pt/topa.h decode/truth.h \
    serial/frame.c serial/frame.h serial/crc32c.c serial/crc32c.h serial/command.c serial/command.h

model: $(BUILD)/bochs
$(BUILD)/bochs: $(MODEL_INPUTS)
	tests/model/build.sh
	@touch $@

# --- guests -----------------------------------------------------------------------------------------------------------

GUESTS := branches dma steps selfmod load probe ends sharing exits spaces ptwrite blocked smp maps levels high tasks rounds
GUEST_CFLAGS := -std=c11 -O2 -g $(WARN) -ffreestanding -fno-pie -mno-red-zone -mgeneral-regs-only -fno-stack-protector \
    -fno-asynchronous-unwind-tables -fcf-protection=none -Itests/guests -MMD -MP
PROBE_PARTS := probe_cpu probe_events probe_devices
SMP_PARTS := smp_parts smp_storm
MAPS_PARTS := maps_spaces maps_disk maps_held maps_quiet maps_ended maps_pending
STEPS_PARTS := steps_code.S steps_rings.S
TASKS_PARTS := tasks_tables tasks32.S tasks_way.S
GUEST_OBJS := $(patsubst %,$(BUILD)/guests/%.o,$(GUESTS) $(PROBE_PARTS) $(SMP_PARTS) $(MAPS_PARTS) $(STEPS_PARTS) $(TASKS_PARTS) machine) $(BUILD)/guests/start.S.o \
    $(BUILD)/guests/ap.S.o

$(BUILD)/guests/%.o: tests/guests/%.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(GUEST_CFLAGS) -c -o $@ $<

$(BUILD)/guests/%.S.o: tests/guests/%.S
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(GUEST_CFLAGS) -c -o $@ $<

$(BUILD)/guests/%.elf: $(BUILD)/guests/start.S.o $(BUILD)/guests/%.o $(BUILD)/guests/machine.o tests/guests/guest.ld
	@echo "  LD  $@"
	$(Q)$(LD) -nostdlib -static -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments --build-id=none \
	    -T tests/guests/guest.ld -o $@ $(filter %.o,$^)

$(BUILD)/guests/probe.elf: $(PROBE_PARTS:%=$(BUILD)/guests/%.o)
$(BUILD)/guests/smp.elf: $(SMP_PARTS:%=$(BUILD)/guests/%.o) $(BUILD)/guests/ap.S.o
$(BUILD)/guests/maps.elf: $(MAPS_PARTS:%=$(BUILD)/guests/%.o) $(BUILD)/guests/ap.S.o
$(BUILD)/guests/steps.elf: $(STEPS_PARTS:%=$(BUILD)/guests/%.o)
$(BUILD)/guests/tasks.elf: $(TASKS_PARTS:%=$(BUILD)/guests/%.o)

$(BUILD)/guests/%.bzImage: $(BUILD)/guests/%.elf
	@echo "  OBJCOPY $@"
	$(Q)objcopy -O binary $< $@

$(BUILD)/guest/vmlinuz $(BUILD)/guest/modules $(BUILD)/guest/kvm-modules &:
	tests/rig/kernel.sh $(BUILD)/guest

# The same kernel unpacked, and as KASLR moves it: what most boots do with it comes behind its unpacking.
UNPACKED := $(BUILD)/guest/unpacked $(BUILD)/guest/moved
$(BUILD)/guest/moved: MOVED := 0x1c800000
$(UNPACKED): $(BUILD)/guest/vmlinuz tests/rig/unpacked.sh $(wildcard tests/rig/unpacked/*)
	tests/rig/unpacked.sh $< $@ $(MOVED)

$(BUILD)/guest/initrd: tests/rig/init tests/rig/initrd.sh
	tests/rig/initrd.sh $@

$(BUILD)/guest/userland: $(wildcard tests/rig/userland/*) tests/rig/userland.sh
	tests/rig/userland.sh $@

# A whole Debian on a disk. Its modules are the kernel's, which has come at the time of kernel.version.
$(BUILD)/guest/kernel.version: $(BUILD)/guest/vmlinuz ;
$(BUILD)/guest/debian.tar: tests/rig/debian.sh $(BUILD)/guest/kernel.version
	$< $@ "$$(cat $(BUILD)/guest/kernel.version)"

$(BUILD)/guest/debian.img $(BUILD)/guest/debian.initrd &: $(BUILD)/guest/debian.tar tests/rig/disk.sh $(wildcard tests/rig/debian/*)
	tests/rig/disk.sh $< $(BUILD)/guest/debian.img $(BUILD)/guest/debian.initrd

# --- the ISO ----------------------------------------------------------------------------------------------------------

KERNEL := $(BUILD)/guest/vmlinuz
GUEST := kernel
INITRD_OF_kernel := $(BUILD)/guest/initrd
INITRD_OF_userland := $(BUILD)/guest/userland
INITRD_OF_debian := $(BUILD)/guest/debian.initrd
INITRD := $(or $(INITRD_OF_$(GUEST)),$(error there is no guest $(GUEST): GUEST=kernel, GUEST=userland or GUEST=debian))
DISK_OF_debian := $(BUILD)/guest/debian.img
DISK := $(DISK_OF_$(GUEST))
CMDLINE_OF_debian := root=/dev/sda ro
# Where the report finds names of the programs in the initrds: they are this machine's own.
FILES_OF_kernel := $(firstword $(wildcard /usr/bin/busybox /bin/busybox))
FILES_OF_userland := /usr/bin /usr/sbin /usr/lib
FILES := $(FILES_OF_$(GUEST))
CMDLINE := $(strip console=ttyS0 panic=-1 $(CMDLINE_OF_$(GUEST)))
OPTIONS :=
CPUS := 1
export CPUS
export ELF := $(BUILD)/undertrace.elf
export KERNEL INITRD CMDLINE OPTIONS DISK FILES

# Rewritten only when a variable has changed, so that a second run builds nothing.
ISO_INPUTS := $(BUILD)/iso.inputs
ISO_WORDS := $(KERNEL)|$(INITRD)|$(CMDLINE)|$(OPTIONS)
ifneq ($(file <$(ISO_INPUTS)),$(ISO_WORDS))
$(shell mkdir -p $(BUILD))
$(file >$(ISO_INPUTS),$(ISO_WORDS))
endif

$(BUILD)/undertrace.iso: $(ELF) $(KERNEL) $(INITRD) $(ISO_INPUTS) tests/rig/iso.sh | $(BUILD)/undertrace
	tests/rig/iso.sh $@

# --- running ----------------------------------------------------------------------------------------------------------
# Packages first, then the parts, then the boot: each recipe line of a goal waits for the one before.

PARTS := $(BUILD)/undertrace.elf $(BUILD)/undertrace $(BUILD)/bochs
PARTS_MAKE = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) $(if $(V),,-s)

run:
	@tests/rig/deps.sh run
	@$(if $(filter debian,$(GUEST)),tests/rig/deps.sh debian)
	@date +%s.%N >$(BUILD)/run.start
	+@$(PARTS_MAKE) $(PARTS) $(BUILD)/undertrace.iso $(DISK)
	@GUEST=$(GUEST) tests/rig/run.sh

# Where KVM cannot be had the script ends with 77, of which make makes a 2. So this goal, where it is the only one, has
# $(make-exit STATUS), if make can load objects and there is a compiler or one can be installed: docs/ci.md.
ifeq ($(MAKECMDGOALS)/$(filter load,$(.FEATURES)),run-kvm/load)
MAKE_EXIT := $(shell { command -v $(CC) || tests/rig/run-kvm.sh check; } >/dev/null 2>&1 || tests/rig/deps.sh compile >&2; \
    mkdir -p $(BUILD); $(CC) $(WARN) -fPIC -shared -o $(BUILD)/make_exit.so tests/rig/make_exit.c 2>$(BUILD)/make_exit.log && \
    echo $(BUILD)/make_exit.so)
$(if $(MAKE_EXIT),$(eval load $(MAKE_EXIT)))
endif
KVM_SKIPPED = $(shell tests/rig/run-kvm.sh check)$(filter 77,$(.SHELLSTATUS))

run-kvm:
	$(if $(.LOADED),$(if $(KVM_SKIPPED),$(make-exit 77)))
	@tests/rig/run-kvm.sh check || { echo 'run-kvm: make ends with 2 here; tests/rig/run-kvm.sh all ends with 77' >&2; exit 77; }
	@tests/rig/deps.sh kvm
	+@$(PARTS_MAKE) $(BUILD)/undertrace $(BUILD)/undertrace.iso
	@LIVE=1 tests/rig/run-kvm.sh run

bench: $(PARTS) $(GUESTS:%=$(BUILD)/guests/%.bzImage) $(BUILD)/guest/vmlinuz $(UNPACKED) $(BUILD)/guest/kvm-modules $(BUILD)/guest/initrd \
    $(BUILD)/guest/userland $(BUILD)/tools/decode_bench $(BUILD)/tools/frames_send
	@tests/rig/deps.sh nested
	@tests/rig/bench.sh
	@tests/rig/bench_guests.sh
	@tests/rig/bench_decode.sh
	@tests/rig/bench_live.sh
	@tests/rig/bench_kvm.sh
	@tests/rig/bench_soft.sh
	@tests/rig/bench_schemes.sh
	@tests/rig/bench_model.sh

# --- tests ------------------------------------------------------------------------------------------------------------
# A unit test is one file with a main of its own, linked with all core, with the host tool's pure files and with what the
# tests share.

UNIT := $(patsubst tests/unit/%.c,$(BUILD)/check/%,$(wildcard tests/unit/test_*.c))
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UNIT_SHARED := $(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c))
# Shell that a fake can stand beneath.
UNIT_SHELL := boot/paging.c boot/watch.c serial/uart.c serial/uart_sink.c
UNIT_LIB := $(patsubst %.c,$(BUILD)/check/%.o,$(CORE) $(UNIT_SHELL) $(TOOL_LIB) $(filter-out tests/judge/main.c,$(JUDGE)) $(UNIT_SHARED))

$(BUILD)/check/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) -O1 $(SANITIZE) -c -o $@ $<

$(BUILD)/check/libcore.a: $(UNIT_LIB)
	@rm -f $@
	@echo "  AR  $@"
	$(Q)ar rcs $@ $^

$(BUILD)/check/test_%: $(BUILD)/check/tests/unit/test_%.o $(BUILD)/check/libcore.a
	@echo "  LD  $@"
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lipt -pthread

# Fuzz targets: by libFuzzer (make fuzz, FUZZ_SECONDS= each, FUZZ= which), and in make check with what is in the corpora.

export FUZZ_TARGETS := packets instruction flow capture perf
FUZZ := $(FUZZ_TARGETS)
FUZZ_SECONDS := 60
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DEXECUTED_MAX_UNPROVEN=16384u
FUZZ_OBJS := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(sort $(TOOL_CORE) pt/encode.c $(TOOL_LIB)))

FUZZ_REPLAYS := $(FUZZ_TARGETS:%=$(BUILD)/check/fuzz_%)

$(FUZZ_REPLAYS): $(BUILD)/check/%: $(BUILD)/check/tests/fuzz/%.o $(BUILD)/check/tests/fuzz/replay.o \
    $(BUILD)/check/libcore.a
	@echo "  LD  $@"
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lipt -pthread

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(Q)clang $(HOST_CFLAGS) -O1 $(FUZZ_SANITIZE) -c -o $@ $<

$(FUZZ_TARGETS:%=$(BUILD)/fuzz/fuzz_%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(FUZZ_OBJS)
	@echo "  LD  $@"
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $^ -pthread

fuzz:
	@tests/rig/deps.sh fuzz
	+@$(PARTS_MAKE) $(FUZZ:%=$(BUILD)/fuzz/fuzz_%)
	@tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZ)

# What system tests compare the host tool with: others' decoders.
TEST_TOOLS := $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(wildcard tests/tools/*.c))

$(BUILD)/tools/perfdata_wrap: $(patsubst %.c,$(BUILD)/host/%.o,tests/tools/perfdata/buffer.c tests/tools/perfdata/flow.c \
    decode/export/perf_data.c)
$(BUILD)/tools/foreign_make: $(BUILD)/host/pt/encode.o
$(BUILD)/tools/screen_text: $(BUILD)/host/boot/font.o
$(BUILD)/tools/instructions_agree: $(patsubst %.c,$(BUILD)/host/%.o,$(wildcard tests/tools/instructions/*.c) \
    pt/instruction.c pt/instruction_table.c)
$(BUILD)/tools/instructions_agree: TOOL_LIBS := -lZydis

$(BUILD)/tools/decode_bench: $(filter-out %/judge/main.o %/pt/parse.o,$(JUDGE_OBJS))
$(BUILD)/tools/times_agree: $(patsubst %.c,$(BUILD)/host/%.o,$(filter-out pt/parse.c,$(TOOL_CORE)) $(TOOL_LIB))
$(BUILD)/tools/frames_send: $(patsubst %.c,$(BUILD)/host/%.o,$(filter-out pt/parse.c,$(TOOL_CORE)) $(TOOL_LIB))
$(BUILD)/tools/decode_bench $(BUILD)/tools/times_agree $(BUILD)/tools/frames_send: TOOL_LIBS := $(EXTRA_LIBS) -pthread

$(BUILD)/tools/%: $(BUILD)/host/tests/tools/%.o $(BUILD)/host/pt/parse.o
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) -o $@ $^ -lipt $(TOOL_LIBS)

export CORE
export CORE_OBJS := $(patsubst %.c,$(BUILD)/hv/%.o,$(CORE))
export HV_OBJS TOOL_OBJS
export CLANG_C := $(sort $(TOOL_CORE) pt/encode.c $(TOOL_C) $(LIB_C) $(wildcard tests/fuzz/*.c))
export CLANG_CFLAGS := $(filter-out -MMD -MP,$(HOST_CFLAGS))
CHECKS := $(UNIT) tests/rig/lint.sh tests/rig/core.sh tests/rig/circles.sh tests/rig/clang.sh tests/rig/fuzz_replay.sh
SYSTEM := $(filter-out tests/system/lib.sh,$(wildcard tests/system/*.sh))

check:
	@tests/rig/deps.sh check
	+@$(PARTS_MAKE) $(UNIT) $(FUZZ_REPLAYS) $(HV_OBJS) $(TOOL_OBJS)
	@tests/rig/runner.sh $(CHECKS)

test:
	@tests/rig/deps.sh test
	+@$(PARTS_MAKE) $(UNIT) $(FUZZ_REPLAYS) $(PARTS) $(BUILD)/undertrace-judge $(LIB_FILES) $(BUILD)/undertrace.iso $(GUESTS:%=$(BUILD)/guests/%.bzImage) $(TEST_TOOLS) \
	    $(BUILD)/guest/userland $(BUILD)/guest/modules $(UNPACKED)
	@tests/rig/runner.sh $(CHECKS) $(SYSTEM)

# The same under KVM and QEMU, which run in the emulator: no CPU with VMX is needed.
NESTED := $(filter-out %/lib.sh %/linux.sh,$(wildcard tests/nested/*.sh))
test-nested:
	@tests/rig/deps.sh nested
	+@$(PARTS_MAKE) $(PARTS) $(GUESTS:%=$(BUILD)/guests/%.bzImage) $(BUILD)/guest/vmlinuz $(BUILD)/guest/kvm-modules $(BUILD)/guest/initrd \
	    $(UNPACKED)
	@tests/rig/runner.sh $(NESTED)

# More than each change deserves.
soak:
	@tests/rig/deps.sh test
	@tests/rig/deps.sh debian
	+@$(PARTS_MAKE) $(PARTS) $(GUESTS:%=$(BUILD)/guests/%.bzImage) $(BUILD)/guest/vmlinuz $(BUILD)/guest/debian.img \
	    $(BUILD)/guest/userland $(BUILD)/tools/instructions_agree
	@tests/rig/soak.sh

lint:
	@tests/rig/deps.sh check
	@tests/rig/runner.sh tests/rig/lint.sh

# The unit tests once more, in a directory of their own, counted.
coverage:
	@tests/rig/deps.sh check
	+@$(PARTS_MAKE) BUILD=$(BUILD)/coverage SANITIZE=--coverage units
	@BUILD=$(BUILD)/coverage tests/rig/coverage.sh

units: $(UNIT)

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^#: //p' Makefile

#: make run      boot Debian's kernel under the hypervisor in the emulator, trace, decode and report; installs what is
#:               missing. Variables: KERNEL= INITRD= CMDLINE= OPTIONS= (docs/options.md) CPUS= MEMORY=
#:               GUEST=userland: with bash, perl, grep -P and other programs of this machine's as user space
#:               GUEST=debian: a whole Debian 12 with systemd on an IDE disk, made once. DISK=image: any disk's image
#: make test     all tests, boots in the emulator included; the last line counts
#: make soak     the instruction decoder on all of /usr, a whole Debian, names of other kernels, and the matrix of boots with many seeds: hours.
#:               SEEDS= COUNT= SOAK="instructions debian names perf_data tutorial packages matrix"
#: make check    unit tests, core and lint only
#: make lint     clang-format, cppcheck and the rules of the source
#: make bench    what tracing costs, and what the PT model costs the emulator
#: make coverage how much of core the unit tests execute
#: make model    the emulator with the PT model: build/bochs
#: make run-kvm  the same under QEMU/KVM with nested VMX, where this machine has it; exit status 77 where not (docs/ci.md). Variables as make run
#: make test-nested   tests under KVM and QEMU, which run in the emulator: no VMX is needed
#: make lib      the library that reads captures: build/libundertrace.a, build/libundertrace.so
#: make install  the host tool, its completion for bash, the library, header, pkg-config file and manual pages. PREFIX=/usr/local LIBDIR=lib DESTDIR=
#: make install-boot  on the machine that is to be traced: the image in /boot, and its entries in GRUB's menu (docs/install.md). DESTDIR=
#: make deb      Debian packages of all that, in build/deb
#: make all      the hypervisor (build/undertrace.elf) and the host tool (build/undertrace)
#: make build/undertrace.iso    a bootable image for a USB stick or an emulator
#: make clean    remove build/
#: V=1           show the commands

# Flags are inputs too.
$(HV_OBJS) $(TOOL_OBJS) $(LIB_OBJS) $(UNIT_LIB) $(GUEST_OBJS): Makefile

# Unit-test objects and guest ELFs are intermediate to make, and wanted by people and by the next run.
.SECONDARY:

-include $(FUZZ_TARGETS:%=$(BUILD)/check/tests/fuzz/fuzz_%.d) $(FUZZ_OBJS:.o=.d) $(FUZZ_TARGETS:%=$(BUILD)/fuzz/tests/fuzz/fuzz_%.d) \
    $(HV_OBJS:.o=.d) $(TOOL_OBJS:.o=.d) $(LIB_OBJS:.o=.d) $(JUDGE_OBJS:.o=.d) $(TEST_TOOLS:$(BUILD)/tools/%=$(BUILD)/host/tests/tools/%.d) $(UNIT_LIB:.o=.d) $(UNIT:$(BUILD)/check/%=$(BUILD)/check/tests/unit/%.d) \
    $(GUEST_OBJS:.o=.d)
