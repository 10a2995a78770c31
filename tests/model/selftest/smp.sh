#!/bin/sh
# The PT model's self-test with two processors that trace at once: smp.c in the emulator, each one's trace decoded with
# libipt and compared with what that one did.
#
#   tests/model/selftest/smp.sh [BUILD] [OPTION...]     BUILD/bochs must exist; options are added to the ptmodel line
#   CTL=BITS       more bits for IA32_RTIT_CTL
#   MTCFREQ=N      as CTL has it: check the timing packets as well
#   OUT=DIR        where DIR/smp has its trace and the rest: build/model/selftest
set -eu
# shellcheck source=tests/model/selftest/lib.sh
. "$(dirname "$0")/lib.sh"

selftest_in "${OUT:-$build/model/selftest}/smp"
gcc -c -o ap.o "$root/tests/guests/ap.S"
selftest_build smp ap.o
selftest_run smp 2 'profile=skylake, truth=truth.bin, branches=branches.bin, scope=traced' \
    'com2: enabled=1, mode=file, dev=trace.bin.cpu1'
selftest_check trace.bin branches.bin
selftest_check trace.bin.cpu1 branches.bin.cpu1
