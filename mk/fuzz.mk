# Fuzz targets, tests/fuzz/fuzz_NAME.c: by libFuzzer in `make fuzz`, and replayed over their corpora in `make check`.

export FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ := $(FUZZ_TARGETS)
FUZZ_SECONDS := 60
# A loop without packets ends sooner than in the product, so that the fuzzer gets through more inputs.
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DEXECUTED_MAX_UNPROVEN=16384u
FUZZ_CORE := $(addprefix serial/net/,net.c datagram.c dhcp.c dhcp_answer.c announce.c) serial/wire/command_line.c serial/wire/lz4.c
FUZZ_OBJS := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(sort $(TOOL_CORE) pt/packet/encode.c $(TOOL_LIB) $(FUZZ_CORE)))
FUZZ_REPLAYS := $(FUZZ_TARGETS:%=$(BUILD)/check/fuzz_%)

$(FUZZ_REPLAYS): $(BUILD)/check/%: $(BUILD)/check/tests/fuzz/%.o $(BUILD)/check/tests/fuzz/replay.o \
    $(BUILD)/check/libcore.a
	@echo "  LD  $@"
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(UNIT_LIBS)

$(BUILD)/fuzz/decode/receive/unpack.o: OF_FILE = $(if $(HAVE_LIBLZ4),-DHAVE_LIBLZ4)
$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(Q)clang $(HOST_CFLAGS) $(OF_FILE) -O1 $(FUZZ_SANITIZE) -c -o $@ $<

$(FUZZ_TARGETS:%=$(BUILD)/fuzz/fuzz_%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(FUZZ_OBJS)
	@echo "  LD  $@"
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(if $(HAVE_LIBLZ4),-llz4) -pthread

-include $(FUZZ_OBJS:.o=.d) $(FUZZ_TARGETS:%=$(BUILD)/fuzz/tests/fuzz/fuzz_%.d) $(FUZZ_TARGETS:%=$(BUILD)/check/tests/fuzz/fuzz_%.d)
