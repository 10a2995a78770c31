#!/bin/bash
# What the PT model costs the emulator: CPU time that the emulator needs for the boot of Debian's kernel, against Bochs
# without our patch, built with the same options.
#
# All boots are under the hypervisor, for that is what traces: with pt=off the unmodified emulator and the model
# execute the same instructions, which gives the first ratio. The traced boot executes more of them (those that send
# the trace), so the second ratio is one of instructions a second, all that were executed after the first VM entry.
# microcode=0 lets the guest see the same processor in all three. The two emulators that are compared run at the same
# time, so that what else the machine does slows both.
set -eu

work=build/bench/model
rm -rf "$work"
mkdir -p "$work"
tests/model/build.sh --unmodified

image() {
    ELF=build/undertrace.elf KERNEL=build/guest/vmlinuz INITRD=build/guest/initrd CMDLINE='console=ttyS0 panic=-1' \
        OPTIONS=$2 tests/rig/iso.sh "$work/$1.iso"
}
image off 'pt=off channel=none'
image traced 'channel=e1000 net.mtu=9000'

unmodified() {
    ISO=$work/off.iso CHANNEL=none PTMODEL=absent EMULATOR=build/model/unmodified/bochs tests/rig/boot.sh "$work/$1"
}
off() {
    ISO=$work/off.iso CHANNEL=none PTMODEL='profile=skylake, microcode=0' tests/rig/boot.sh "$work/$1"
}
traced() {
    ISO=$work/traced.iso CHANNEL=e1000 PTMODEL='profile=skylake, microcode=0' tests/rig/boot.sh "$work/$1"
}
both() {
    "$1" "$2" &
    local first=$!
    "$3" "$4"
    wait "$first"
}
both unmodified unmodified-1 off off
both unmodified unmodified-2 traced traced

seconds() {
    cat "$work/$1/user_seconds"
}
instructions() {
    echo $(($(tests/rig/truth.sh "$work/$1/truth.bin" guest_instructions) +
        $(tests/rig/truth.sh "$work/$1/truth.bin" root_instructions)))
}
row() {
    awk -v name="$1" -v instructions="$2" -v seconds="$3" -v ratio="$4" -v wanted="$5" 'BEGIN {
        printf "%-34s %8.2f G %8.1f s %8.1f M/s", name, instructions / 1e9, seconds, instructions / seconds / 1e6
        if (ratio) printf "    %.2f of unmodified (wanted: %s)", ratio, wanted
        print ""
    }'
}
ratio() {
    awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" 'BEGIN { printf "%.3f", (a / b) / (c / d) }'
}
off=$(instructions off)
traced=$(instructions traced)
echo
echo 'Debian under the hypervisor              instructions, CPU time and speed of the emulator'
row 'unmodified, pt=off, first run' "$off" "$(seconds unmodified-1)" '' ''
row 'model, pt=off, beside it' "$off" "$(seconds off)" "$(ratio "$off" "$(seconds off)" "$off" "$(seconds unmodified-1)")" 0.85
row 'unmodified, pt=off, second run' "$off" "$(seconds unmodified-2)" '' ''
row 'model, all traced, with truth' "$traced" "$(seconds traced)" \
    "$(ratio "$traced" "$(seconds traced)" "$off" "$(seconds unmodified-2)")" 0.5
