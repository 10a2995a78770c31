# The hypervisor: build/undertrace.elf.
#
# The first line of each C file says its kind: `/* Kind: core, init, hot */`, of which core or shell comes first.
#   core   pure logic: compiled freestanding into the hypervisor, and hosted into unit tests, host tools and the PT model
#   shell  touches hardware
#   init   runs only before the guest starts: linked into the init section, after the resident image (linker.ld)
#   hot    runs at each exit, for each record or for each byte: compiled for speed, all others for size

HV_ROOMS := base boot vmx pt serial vtd
HV_C := $(shell find $(HV_ROOMS) -name '*.c' | LC_ALL=C sort)
PE_HEADER := boot/efi/pe_header.S
HV_S := $(filter-out $(PE_HEADER),$(shell find boot vmx -name '*.S' | LC_ALL=C sort))
of_kind = $(shell awk 'FNR == 1 && /^\/\* Kind: .*$(1)/ { print FILENAME } { nextfile }' $(HV_C))
UNKIND := $(shell awk 'FNR == 1 && !/^\/\* Kind: (core|shell)(, init)?(, hot)? \*\/$$/ { print FILENAME } { nextfile }' $(HV_C))
$(if $(UNKIND),$(error the first line must say the kind ("/* Kind: core */", see mk/hypervisor.mk): $(UNKIND)))

CORE := $(call of_kind,core)
INIT := $(call of_kind,init)
HOT := $(call of_kind,hot)

# The image has a compiler of its own, whatever CC, CFLAGS and LDFLAGS say: it relies on GNU's LTO and section flags.
HV_CC := gcc
HV_CFLAGS := -std=c11 -O2 -g $(WARN) -ffreestanding -fpie -fvisibility=hidden -mno-red-zone -mgeneral-regs-only -mcrc32 \
    -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -fno-jump-tables -fno-common \
    -falign-functions=1 -falign-loops=1 -falign-jumps=1 \
    -ffunction-sections -fdata-sections -ffile-prefix-map=$(CURDIR)=. -I. -MMD -MP
# Linked as one program, so that short functions of core cost no calls. The objects hold code as well, for core.sh.
HV_LTO := -flto -flto-partition=one -ffat-lto-objects
HV_LDFLAGS := -nostdlib -static -no-pie -Wl,--gc-sections,-z,max-page-size=4096,-z,noexecstack,--no-warn-rwx-segments,--build-id=none
HV_OBJS := $(patsubst %.c,$(BUILD)/hv/%.o,$(HV_C)) $(patsubst %.S,$(BUILD)/hv/%.S.o,$(HV_S))

hv_objects = $(patsubst %.c,$(BUILD)/hv/%.o,$(1))
$(call hv_objects,$(filter-out $(HOT),$(HV_C))): HV_CFLAGS += -Os
# Init files are compiled without LTO, which could merge their code into resident functions.
$(call hv_objects,$(INIT)): HV_LTO := -include boot/hidden.h
$(call hv_objects,$(INIT)): MOVE_TO_INIT = objcopy --prefix-alloc-sections=.init $@

$(BUILD)/hv/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(HV_CC) $(HV_CFLAGS) $(HV_LTO) -c -o $@ $<
	$(Q)$(MOVE_TO_INIT)

$(BUILD)/hv/%.S.o: %.S
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(HV_CC) $(HV_CFLAGS) -c -o $@ $<

$(BUILD)/undertrace.elf: $(HV_OBJS) linker.ld
	@echo "  LD  $@"
	$(Q)$(HV_CC) $(HV_CFLAGS) $(HV_LTO) $(HV_LDFLAGS) -T linker.ld -o $@ $(HV_OBJS)
	@eval $$(nm $@ | sed -n 's/^........\(........\) . \(image_start\|image_end\|image_limit\)$$/\2=0x\1/p'); \
	    echo "  the resident image is $$((image_end - image_start)) of $$((image_limit - image_start)) bytes"

# The same image as an EFI application: boot/efi/pe_header.S before it.
hv_symbol = 0x$$(nm $< | sed -n 's/^0*\([0-9a-f]*\) . $(1)$$/\1/p')
$(BUILD)/undertrace.efi: $(BUILD)/undertrace.elf $(PE_HEADER)
	@echo "  EFI $@"
	$(Q)objcopy -O binary $< $@.image
	$(Q)$(HV_CC) $(WERROR) -c -DIMAGE_FILE='"$@.image"' -DIMAGE_MEMORY=$(call hv_symbol,efi_low_size) \
	    -DIMAGE_ENTRY=$(call hv_symbol,efi_entry_offset) -o $@.o $(PE_HEADER)
	$(Q)objcopy -O binary -j .pe $@.o $@

# --- the emulator with the PT model -----------------------------------------------------------------------------------
# tests/model/build.sh fetches Bochs, adds the model and builds it; BOCHS_TARBALL= names a local tarball. The model is
# compiled with these files of ours.

MODEL_SHARED := $(shell cat tests/model/shared)

$(BUILD)/bochs: $(wildcard tests/model/* tests/model/fixes/*) $(MODEL_SHARED)
	tests/model/build.sh
	@touch $@

$(HV_OBJS): Makefile mk/hypervisor.mk
-include $(HV_OBJS:.o=.d)
