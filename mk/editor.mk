# compile_commands.json: how each C file is compiled, for clangd.

.PHONY: compile_commands.json
compile_commands.json: export HV_SOURCES = $(HV_C)
compile_commands.json: export HV_COMMAND = $(HV_CC) $(filter-out -MMD -MP,$(HV_CFLAGS))
compile_commands.json: export HOST_SOURCES = $(sort $(filter-out $(MADE_C),$(TOOL_C)) $(wildcard lib/*.c tests/judge/*.c tests/tools/*.c) $(UNIT_C))
compile_commands.json: export HOST_COMMAND = $(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(CPPFLAGS) $(CFLAGS)
compile_commands.json: export GUEST_SOURCES = $(wildcard tests/guests/*.c tests/guests/*/*.c)
compile_commands.json: export GUEST_COMMAND = $(HV_CC) $(filter-out -MMD -MP,$(GUEST_CFLAGS))
compile_commands.json:
	@tests/rig/compile_commands.sh >$@
	@echo "  JSON $@"
