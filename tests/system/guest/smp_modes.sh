#!/bin/bash
# Many CPUs whose local APICs are in different modes, or disabled: each rewrites code that the others execute, and one
# starts another again. Where a kick does not arrive, the guest hangs. The same guest also runs on bare emulated metal.
. tests/system/lib.sh

export MEMORY=256 QUIET=3

# smp NAME CPUS WORDS OPTIONS
smp() {
    CPUS=$2 boot "$1" build/guests/smp.bzImage '' "cpus=$2 $3" "$4"
}

# bare NAME CPUS WORDS
bare() {
    local image=$work/$1.iso
    ELF='' KERNEL=build/guests/smp.bzImage INITRD='' CMDLINE="cpus=$2 $3" OPTIONS='' tests/rig/iso.sh "$image" &&
        CPUS=$2 CHANNEL=none ISO=$image tests/rig/boot.sh "$work/$1"
}

# traced NAME CPUS WORDS
traced() {
    check "$1: the guest runs to its end" smp "$1" "$2" "$3" ''
    console_has "$1: and finds itself in order" "$1" 'smp: ok'
    exact "$1: all branches equal the truth" "$1"
    same "$1: no gap" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$1/capture/meta.json")" 0
    clean_log "$1"
}

for cpus in 2 4; do
    check "$cpus CPUs, bare: the guest runs to its end" bare "bare$cpus" "$cpus" modes
    console_has "$cpus CPUs, bare: and finds itself in order" "bare$cpus" 'smp: ok'
    traced "modes$cpus" "$cpus" modes
done
# Here a CPU whose local APIC is disabled learns of changed memory types by a timer.
CHANNEL=none check 'pt=off: the guest runs to its end' smp off 4 modes 'pt=off channel=none'
console_has 'pt=off: and finds itself in order' off 'smp: ok'
# INITs to logical IDs are recorded at their targets as well.
for mode in xapic x2apic; do traced "logical-$mode" 3 "$mode logical restarts stops=60 rounds=2000"; done
done_testing
