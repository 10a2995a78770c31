# What `make check`, `make test`, `make test-nested`, `make soak` and `make bench` are made of.

# --- unit tests -------------------------------------------------------------------------------------------------------
# A unit test is tests/unit/ROOM/test_NAME.c with a main of its own. It is linked with all core, with the pure files of
# the host tool, with the fixtures beside the tests, and with the shell files whose hardware the tests fake.

UNIT_C := $(shell find tests/unit -name '*.c' | LC_ALL=C sort)
UNIT_TESTS := $(foreach file,$(UNIT_C),$(if $(filter test_%,$(notdir $(file))),$(file)))
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/check/unit/%,$(UNIT_TESTS))
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UNIT_SHELL := base/log.c base/trace_clock.c boot/memory/paging.c vtd/watch.c serial/uart/uart.c serial/uart/uart_sink.c \
    serial/net/udp_auth.c serial/net/udp_frames.c serial/net/udp_pack.c serial/net/udp_send.c serial/net/udp_sink.c serial/net/udp_start.c
UNIT_LIB := $(patsubst %.c,$(BUILD)/check/%.o,$(CORE) $(UNIT_SHELL) $(TOOL_LIB) $(filter-out tests/judge/main.c,$(JUDGE)) \
    $(filter-out $(UNIT_TESTS),$(UNIT_C)))

$(BUILD)/check/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	$(Q)$(CC) $(HOST_CFLAGS) $(OF_FILE) -O1 $(SANITIZE) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/check/serial/net/udp_frames.o: OF_FILE = -mcrc32
$(BUILD)/check/decode/names/symbol_match.o: OF_FILE = $(if $(HAVE_LIBIBERTY),-DHAVE_LIBIBERTY)
$(BUILD)/check/decode/receive/unpack.o: OF_FILE = $(if $(HAVE_LIBLZ4),-DHAVE_LIBLZ4)
$(BUILD)/check/decode/names/symbol_match.o $(BUILD)/check/decode/receive/unpack.o: $(EXTRA_INPUTS)
UNIT_LIBS := $(if $(JUDGE),-lipt) $(if $(HAVE_LIBIBERTY),-liberty) $(if $(HAVE_LIBLZ4),-llz4) -pthread

$(BUILD)/check/libcore.a: $(UNIT_LIB)
	@rm -f $@
	@echo "  AR  $@"
	$(Q)ar rcs $@ $^

$(BUILD)/check/unit/%: $(BUILD)/check/tests/unit/%.o $(BUILD)/check/libcore.a
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka $(UNIT_LIBS)

# --- the tools of system tests: they compare the host tool with other people's decoders -------------------------------

TEST_TOOLS := $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(wildcard tests/tools/*.c))

$(BUILD)/tools/perfdata_wrap: $(patsubst %.c,$(BUILD)/host/%.o,tests/tools/perfdata/buffer.c tests/tools/perfdata/flow.c \
    decode/export/perf_data.c)
$(BUILD)/tools/foreign_make: $(BUILD)/host/pt/packet/encode.o
$(BUILD)/tools/screen_text: $(BUILD)/host/boot/screen/font.o
$(BUILD)/tools/instructions_agree: $(patsubst %.c,$(BUILD)/host/%.o,$(wildcard tests/tools/instructions/*.c) \
    pt/instruction/instruction.c pt/instruction/opcode_table.c)
$(BUILD)/tools/instructions_agree: TOOL_LIBS := -lZydis

TOOL_WHOLE := $(patsubst %.c,$(BUILD)/host/%.o,$(filter-out pt/packet/parse.c,$(TOOL_CORE)) $(TOOL_LIB))
$(BUILD)/tools/decode_bench: $(filter-out %/judge/main.o %/pt/packet/parse.o,$(JUDGE_OBJS))
$(BUILD)/tools/times_agree: $(TOOL_WHOLE)
$(BUILD)/tools/frames_send: $(TOOL_WHOLE)
$(BUILD)/tools/decode_bench $(BUILD)/tools/times_agree $(BUILD)/tools/frames_send: TOOL_LIBS := $(EXTRA_LIBS) -pthread

$(BUILD)/tools/%: $(BUILD)/host/tests/tools/%.o $(BUILD)/host/pt/packet/parse.o
	@mkdir -p $(@D)
	@echo "  LD  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lipt $(TOOL_LIBS)

# --- which tests, and what they need ----------------------------------------------------------------------------------

CHECKS := $(UNIT) $(addprefix tests/rig/,lint.sh core.sh circles.sh clang.sh fuzz_replay.sh)
SYSTEM := $(wildcard tests/system/*/*.sh)
NESTED := $(filter-out %/lib.sh %/linux.sh,$(wildcard tests/nested/*.sh))

TEST_PARTS = $(UNIT) $(FUZZ_REPLAYS) $(PARTS) $(BUILD)/undertrace.efi $(BUILD)/undertrace-judge $(LIB_FILES) $(BUILD)/undertrace.iso \
    $(GUEST_IMAGES) $(DISK_IMAGES) $(TEST_TOOLS) $(BUILD)/guest/userland $(BUILD)/guest/modules $(UNPACKED)
NESTED_PARTS = $(PARTS) $(GUEST_IMAGES) $(BUILD)/guest/vmlinuz $(BUILD)/guest/kvm-modules $(BUILD)/guest/initrd $(UNPACKED)
SOAK_PARTS = $(PARTS) $(BUILD)/undertrace.efi $(GUEST_IMAGES) $(BUILD)/guest/vmlinuz $(BUILD)/guest/debian.img $(BUILD)/guest/userland \
    $(BUILD)/tools/instructions_agree
BENCH_PARTS = $(NESTED_PARTS) $(BUILD)/guest/userland $(BUILD)/tools/decode_bench $(BUILD)/tools/frames_send

# For the scripts.
export CORE
export CORE_OBJS := $(patsubst %.c,$(BUILD)/hv/%.o,$(CORE))
export HV_OBJS TOOL_OBJS
export CLANG_C := $(sort $(TOOL_CORE) pt/packet/encode.c $(TOOL_C) $(LIB_C) $(wildcard tests/fuzz/*.c))
export CLANG_CFLAGS := $(filter-out -MMD -MP,$(HOST_CFLAGS)) -Werror

$(UNIT_LIB): Makefile mk/tests.mk
-include $(UNIT_LIB:.o=.d) $(UNIT_TESTS:%.c=$(BUILD)/check/%.d) $(TEST_TOOLS:$(BUILD)/tools/%=$(BUILD)/host/tests/tools/%.d)
