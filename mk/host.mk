# The programs of the host: build/undertrace, the judge that tests compare it with, and the library.
# CC, CPPFLAGS, CFLAGS and LDFLAGS of the environment or the command line are honoured.

HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -g -pthread -fsigned-char $(WARN) -ffile-prefix-map=$(CURDIR)=. -I. -MMD -MP
VERSION := $(shell sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
# Empty outside a git checkout, also where a tarball lies within another project's checkout.
COMMIT := $(if $(wildcard .git),$(shell git rev-parse --short=10 HEAD 2>/dev/null))

# Core that the host tool shares: the packets, the wire, and for `undertrace doctor` the hypervisor's own checks of a
# machine.
PAGE_C := $(BUILD)/page/page_text.c
UNWIND_C := $(BUILD)/page/unwind_script.c
MADE_C := $(PAGE_C) $(UNWIND_C)
TOOL_C := $(shell find decode -name '*.c' | LC_ALL=C sort) $(MADE_C)
DOCTOR_CORE := vmx/caps.c pt/caps.c pt/option_check.c pt/output/scheme.c boot/pt_same.c boot/guest/linux.c boot/guest/linux_params.c boot/memory/e820.c \
    boot/memory/carve.c base/format.c $(filter serial/nic/%,$(CORE))
TOOL_CORE := pt/packet/parse.c pt/packet/names.c pt/instruction/instruction.c pt/instruction/opcode_table.c \
    $(addprefix serial/wire/,frame.c crc32c.c command.c auth.c siphash.c) $(DOCTOR_CORE)
TOOL_LIB := $(filter-out decode/cli/main.c,$(TOOL_C))
TOOL_OBJS := $(patsubst %.c,$(BUILD)/host/%.o,$(TOOL_CORE) $(TOOL_C))

# Zydis disassembles for `undertrace trace`, libdw of elfutils finds source lines, libiberty decodes names of C++ and Rust,
# libmicrohttpd speaks HTTP for `undertrace serve`, and libdebuginfod fetches files by build ID, where they can be linked
# (packages libzydis-dev, which has no file for pkg-config, libdw-dev, libiberty-dev, libmicrohttpd-dev and
# libdebuginfod-dev): a cross compiler finds the headers of this machine's own libraries, and a static program needs static
# ones.
has = $(shell printf '\043include <$(1)>\nint main(void) { return 0; }\n' | \
    $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c - -o /dev/null -l$(2) >/dev/null 2>&1 && echo 1)
HAVE_ZYDIS := $(call has,Zydis/Zydis.h,Zydis)
HAVE_LIBDW := $(call has,elfutils/libdwfl.h,dw)
HAVE_LIBIBERTY := $(call has,libiberty/demangle.h,iberty)
HAVE_LIBDEBUGINFOD := $(call has,elfutils/debuginfod.h,debuginfod)
HAVE_MICROHTTPD := $(call has,microhttpd.h,microhttpd)
HAVE_LIBLZ4 := $(call has,lz4.h,lz4)
EXTRA_LIBS := $(if $(HAVE_ZYDIS),-lZydis) $(if $(HAVE_LIBDW),-ldw) $(if $(HAVE_LIBIBERTY),-liberty) \
    $(if $(HAVE_MICROHTTPD),-lmicrohttpd) $(if $(HAVE_LIBLZ4),-llz4)

# A file that changes only when its words do, for objects that depend on them.
define keep_words
ifneq ($$(file <$(1)),$(2))
$$(shell mkdir -p $(dir $(1)))
$$(file >$(1),$(2))
endif
endef
EXTRA_INPUTS := $(BUILD)/extra.inputs
COMMIT_INPUT := $(BUILD)/commit.input
$(eval $(call keep_words,$(EXTRA_INPUTS),zydis=$(HAVE_ZYDIS) libdw=$(HAVE_LIBDW) libiberty=$(HAVE_LIBIBERTY) \
    microhttpd=$(HAVE_MICROHTTPD) libdebuginfod=$(HAVE_LIBDEBUGINFOD) liblz4=$(HAVE_LIBLZ4)))
$(eval $(call keep_words,$(COMMIT_INPUT),commit=$(COMMIT)))

$(BUILD)/host/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) $(OF_FILE) -O2 $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/host/decode/cli/text/disassembly.o: OF_FILE = $(if $(HAVE_ZYDIS),-DHAVE_ZYDIS)
$(BUILD)/host/decode/cli/text/source_line.o: OF_FILE = $(if $(HAVE_LIBDW),-DHAVE_LIBDW)
$(BUILD)/host/decode/cli/options/fetch_file.o: OF_FILE = $(if $(HAVE_LIBDEBUGINFOD),-DHAVE_LIBDEBUGINFOD)
$(BUILD)/host/decode/names/symbol_match.o: OF_FILE = $(if $(HAVE_LIBIBERTY),-DHAVE_LIBIBERTY)
$(BUILD)/host/decode/serve/server.o: OF_FILE = $(if $(HAVE_MICROHTTPD),-DHAVE_MICROHTTPD)
$(BUILD)/host/decode/receive/unpack.o: OF_FILE = $(if $(HAVE_LIBLZ4),-DHAVE_LIBLZ4)
$(BUILD)/host/decode/cli/text/disassembly.o $(BUILD)/host/decode/cli/text/source_line.o \
    $(BUILD)/host/decode/names/symbol_match.o $(BUILD)/host/decode/cli/options/fetch_file.o \
    $(BUILD)/host/decode/serve/server.o $(BUILD)/host/decode/receive/unpack.o: $(EXTRA_INPUTS)
$(BUILD)/host/decode/cli/commands.o: OF_FILE = $(if $(COMMIT),-DUNDERTRACE_COMMIT='"$(COMMIT)"')
$(BUILD)/host/decode/cli/commands.o: $(COMMIT_INPUT)

$(BUILD)/undertrace: $(TOOL_OBJS)
	@echo "  LD  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(EXTRA_LIBS) -pthread

# The HTML page without its data, as a C file.
$(PAGE_C): decode/page/bundle.sh $(wildcard decode/page/web/*)
	@echo "  PAGE $@"
	$(Q)decode/page/bundle.sh $@

# The script for gdb, as a C file.
$(UNWIND_C): decode/cli/gdb/bundle.sh decode/cli/gdb/unwind.py
	@echo "  GDB $@"
	$(Q)decode/cli/gdb/bundle.sh $@

# For tests: the same with libipt beside our own engine, --engine=libipt.
JUDGE := $(shell find tests/judge -name '*.c' | LC_ALL=C sort)
JUDGE_OBJS := $(patsubst %.c,$(BUILD)/host/%.o,$(TOOL_CORE) $(TOOL_LIB) $(JUDGE))

$(BUILD)/undertrace-judge: $(JUDGE_OBJS)
	@echo "  LD  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lipt $(EXTRA_LIBS) -pthread

# --- the library ------------------------------------------------------------------------------------------------------
# One object that exports only the names of lib/undertrace.map, in the archive too.

LIB_SONAME := libundertrace.so.0
LIB_C := $(wildcard lib/*.c $(addsuffix /*.c,$(addprefix decode/,capture code engine flow foreign))) \
    $(addprefix decode/report/,error_text.c cause_text.c dump_line.c)
LIB_OBJS := $(patsubst %.c,$(BUILD)/lib/%.o,pt/packet/parse.c pt/packet/names.c pt/instruction/instruction.c pt/instruction/opcode_table.c serial/wire/crc32c.c $(LIB_C))
LIB_FILES := $(BUILD)/libundertrace.a $(BUILD)/libundertrace.so

$(BUILD)/lib/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) -O2 $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(BUILD)/libundertrace.so: $(LIB_OBJS) lib/undertrace.map
	@echo "  LD  $@"
	$(Q)$(CC) -shared -Wl,-soname,$(LIB_SONAME),--version-script=lib/undertrace.map,-z,defs,-z,relro,-z,now \
	    $(LDFLAGS) -o $@ $(LIB_OBJS) -pthread

$(BUILD)/libundertrace.a: $(LIB_OBJS) lib/undertrace.map
	@echo "  AR  $@"
	$(Q)sed -n 's/^ *\(undertrace_[a-z_]*\);/\1/p' lib/undertrace.map >$(BUILD)/lib/names
	$(Q)$(LD) -r -o $(BUILD)/lib/all.o $(LIB_OBJS)
	$(Q)objcopy --keep-global-symbols=$(BUILD)/lib/names $(BUILD)/lib/all.o $(BUILD)/lib/undertrace.o
	@rm -f $@
	$(Q)ar rcs $@ $(BUILD)/lib/undertrace.o

$(TOOL_OBJS) $(LIB_OBJS) $(JUDGE_OBJS): Makefile mk/host.mk
-include $(TOOL_OBJS:.o=.d) $(LIB_OBJS:.o=.d) $(JUDGE_OBJS:.o=.d)
