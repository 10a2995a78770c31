# What boots under the hypervisor: micro-guests of our own, Debian's kernel with several initrds, a whole Debian, and
# the ISO that `make run` boots.

# --- micro-guests -----------------------------------------------------------------------------------------------------
# A guest is tests/guests/NAME.c, which defines guest_main, with its parts NAME_*.c and NAME_*.S; or it is the folder
# tests/guests/NAME/. It is linked with start.S and machine.c, and with ap.S if it uses that.

GUEST_FOLDERS := $(notdir $(patsubst %/,%,$(wildcard tests/guests/*/)))
GUESTS := $(basename $(notdir $(shell grep -l '^void guest_main' tests/guests/*.c))) $(GUEST_FOLDERS)
GUEST_CFLAGS := -std=c11 -O2 -g $(WARN) -ffreestanding -fno-pie -mno-red-zone -mgeneral-regs-only -fno-stack-protector \
    -fno-asynchronous-unwind-tables -fcf-protection=none -Itests/guests -MMD -MP
parts_of = $(patsubst tests/guests/%,%,$(patsubst %.c,%,$(wildcard $(addprefix tests/guests/$(1),.c _*.c _*.S /*.c /*.S))))
GUEST_IMAGES := $(GUESTS:%=$(BUILD)/guests/%.bzImage)
GUEST_OBJS := $(patsubst %,$(BUILD)/guests/%.o,$(foreach guest,$(GUESTS),$(call parts_of,$(guest))) machine start.S ap.S)

$(BUILD)/guests/%.o: tests/guests/%.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(HV_CC) $(GUEST_CFLAGS) -c -o $@ $<

$(BUILD)/guests/%.S.o: tests/guests/%.S
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(HV_CC) $(GUEST_CFLAGS) -c -o $@ $<

$(BUILD)/guests/%.elf: $(BUILD)/guests/start.S.o $(BUILD)/guests/machine.o $(BUILD)/guests/ap.a tests/guests/guest.ld
	@echo "  LD  $@"
	$(Q)$(LD) -nostdlib -static -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments --build-id=none \
	    -T tests/guests/guest.ld -o $@ $(filter %.o,$^) $(filter %.a,$^)

$(foreach guest,$(GUESTS),$(eval $(BUILD)/guests/$(guest).elf: $(patsubst %,$(BUILD)/guests/%.o,$(call parts_of,$(guest)))))

# In an archive, so that only guests that use it have it.
$(BUILD)/guests/ap.a: $(BUILD)/guests/ap.S.o
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/guests/%.bzImage: $(BUILD)/guests/%.elf
	@echo "  OBJCOPY $@"
	$(Q)objcopy -O binary $< $@

# A disk's boot sector, with the sectors after it: a flat file, as large as the emulated disk's cylinder.
DISK_IMAGES := $(BUILD)/guests/sector.img
$(DISK_IMAGES): $(BUILD)/guests/%.img: tests/guests/%.S
	@mkdir -p $(@D)
	@echo "  DISK $@"
	$(Q)as --32 -o $@.o $<
	$(Q)$(LD) -m elf_i386 -Ttext=0x7c00 --oformat binary -o $@ $@.o
	$(Q)truncate -s 516096 $@

$(GUEST_OBJS): Makefile mk/guests.mk
-include $(GUEST_OBJS:.o=.d)

# --- Debian's kernel, its initrds, and a whole Debian -----------------------------------------------------------------

$(BUILD)/guest/vmlinuz $(BUILD)/guest/modules $(BUILD)/guest/kvm-modules &:
	tests/rig/kernel.sh $(BUILD)/guest

# The same kernel unpacked, and unpacked at an address that KASLR could choose. Boots that do not test the decompression
# start with one of these.
UNPACKED := $(BUILD)/guest/unpacked $(BUILD)/guest/moved
$(BUILD)/guest/moved: MOVED := 0x1c800000
$(UNPACKED): $(BUILD)/guest/vmlinuz tests/rig/unpacked.sh $(wildcard tests/rig/unpacked/*) tests/guests/boot.inc
	tests/rig/unpacked.sh $< $@ $(MOVED)

$(BUILD)/guest/initrd: tests/rig/init tests/rig/initrd.sh
	tests/rig/initrd.sh $@

$(BUILD)/guest/userland: $(wildcard tests/rig/userland/*) tests/rig/userland.sh
	tests/rig/userland.sh $@

# The disk's modules are those of the kernel, so a new version of the kernel needs a new disk.
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
INITRD := $(or $(INITRD_OF_$(GUEST)),$(error unknown guest '$(GUEST)'; choose GUEST=kernel, GUEST=userland or GUEST=debian))
DISK_OF_debian := $(BUILD)/guest/debian.img
DISK := $(DISK_OF_$(GUEST))
CMDLINE_OF_debian := root=/dev/sda ro
# With DISK= but without KERNEL= on make's command line, the guest is that disk's boot sector: GRUB's hd0.
on_line = $(filter command,$(firstword $(origin $(1))))
SECTOR := $(if $(call on_line,DISK),$(if $(call on_line,KERNEL),,hd0))
ifneq ($(SECTOR),)
KERNEL :=
INITRD :=
endif
# Where the report finds the names of the initrds' programs: they were copied from this machine.
FILES_OF_kernel := $(firstword $(wildcard /usr/bin/busybox /bin/busybox))
FILES_OF_userland := /usr/bin /usr/sbin /usr/lib
FILES := $(FILES_OF_$(GUEST))
CMDLINE := $(strip console=ttyS0 panic=-1 $(CMDLINE_OF_$(GUEST)))
OPTIONS :=
CPUS := 1
export CPUS
export ELF := $(BUILD)/undertrace.elf
export KERNEL INITRD CMDLINE OPTIONS DISK SECTOR FILES

# Rewritten only when a variable has changed, so that a second run builds nothing.
ISO_INPUTS := $(BUILD)/iso.inputs
$(eval $(call keep_words,$(ISO_INPUTS),$(KERNEL)|$(INITRD)|$(CMDLINE)|$(OPTIONS)|$(SECTOR)))

$(BUILD)/undertrace.iso: $(ELF) $(KERNEL) $(INITRD) $(ISO_INPUTS) tests/rig/iso.sh | $(BUILD)/undertrace
	tests/rig/iso.sh $@
