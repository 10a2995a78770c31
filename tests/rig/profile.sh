#!/bin/bash
# Where root mode's instructions go: one boot in an emulator that counts each instruction of root by its address. Prints
# the functions that executed most, functions that were inlined by themselves.
#
# usage: profile.sh [OPTIONS [NR]]   the hypervisor's options ('channel=e1000'); how many functions to show (30)
#
# from the environment: what tests/rig/boot.sh takes (CHANNEL=, WIRE=, PTMODEL=, ...), KERNEL= (the load guest),
# INITRD=, CMDLINE=. The wire answers at once unless WIRE says otherwise, so that waiting does not count.
# The emulator is built in build/profile; the first time takes a few minutes.
set -eu

build=${BUILD:-build}
options=${1:-channel=e1000}
work=$build/profile
mkdir -p "$work"

tarball=$(ls "$build"/model/bochs_*.tar.xz 2>/dev/null | head -n 1)
[ -z "$tarball" ] || export BOCHS_TARBALL=${BOCHS_TARBALL:-$tarball}
CXX="${CXX:-g++} -DPTM_ROOT_COUNTS" tests/model/build.sh "$work"

ELF=$build/undertrace.elf KERNEL=${KERNEL:-$build/guests/load.bzImage} INITRD=${INITRD:-} CMDLINE=${CMDLINE:-} \
    OPTIONS=$options tests/rig/iso.sh "$work/profile.iso"
WIRE=${WIRE:-rate=0 latency=0} EMULATOR=$work/bochs ISO=$work/profile.iso tests/rig/boot.sh "$work/run"

# addr2line names the function that an instruction was written in, whichever it was inlined into.
cut -d ' ' -f 1 "$work/run/truth.bin.root" | addr2line -f -e "$build/undertrace.elf" | awk 'NR % 2 == 1' |
    paste -d ' ' - "$work/run/truth.bin.root" >"$work/run/root"
truth() {
    tests/rig/truth.sh "$work/run/truth.bin" "$1"
}
echo "$options: $(truth root_instructions) root instructions, $(truth exits) VM exits, $(truth pmis) PMIs," \
    "$(truth trace_bytes) trace bytes"
awk '{ sum[$1] += $3; all += $3 }
    END { for (name in sum) printf "%10d %5.1f%%  %s\n", sum[name], 100 * sum[name] / all, name }' "$work/run/root" |
    sort -rn | awk -v nr="${2:-30}" 'NR <= nr'
