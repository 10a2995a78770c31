#!/bin/sh
# The PT model's self-test: run the test ROM in the emulator, decode its trace with libipt, compare with what the
# emulated CPU did. No BIOS, no VMX, no hypervisor: about a second.
#
#   tests/model/selftest/run.sh [BUILD] [OPTION...]     BUILD/bochs must exist; options are added to the ptmodel line
#   CTL=BITS       more bits for IA32_RTIT_CTL
#   PROFILE=NAME   instead of skylake
#   MTCFREQ=N      as CTL has it: check the timing packets as well
#   OUT=DIR        where trace.bin, branches.bin and the rest go: build/model/selftest
set -eu
# shellcheck source=tests/model/selftest/lib.sh
. "$(dirname "$0")/lib.sh"

selftest_in "${OUT:-$build/model/selftest}"
selftest_build test
selftest_run selftest 1 "profile=${PROFILE:-skylake}, truth=truth.bin, branches=branches.bin, scope=traced"
selftest_check trace.bin branches.bin
