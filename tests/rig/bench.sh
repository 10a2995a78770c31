#!/bin/bash
# What tracing costs, on the guest that writes the most trace: figures of the emulated CPU, which repeat exactly, and the
# emulator's own speed, which does not.
set -eu

work=build/bench
rm -rf "$work"
mkdir -p "$work"

# boot NAME CHANNEL OPTIONS [GUEST]: sets seconds.
boot() {
    local begin=$EPOCHREALTIME
    ELF=build/undertrace.elf KERNEL=build/guests/${4:-load}.bzImage INITRD='' CMDLINE='' OPTIONS=$3 tests/rig/iso.sh "$work/$1.iso"
    ISO=$work/$1.iso CHANNEL=$2 MEMORY=256 tests/rig/boot.sh "$work/$1"
    seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
}

truth() {
    tests/rig/truth.sh "$work/$1/truth.bin" "$2"
}

# ratio A B: A/B with two decimals, or "-" where B is 0.
ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (b == 0) print "-"; else printf "%.2f\n", a / b }'
}

printf '%-28s %12s %12s %12s\n' "guest load" 'pt=off' 'traced' 'traced/off'
row() {
    printf '%-28s %12s %12s %12s\n' "$1" "$2" "$3" "$(ratio "$3" "$2")"
}
boot off none 'pt=off channel=none'
seconds_off=$seconds
boot traced e1000 'channel=e1000 net.mtu=9000'
seconds_traced=$seconds

row 'guest instructions' "$(truth off guest_instructions)" "$(truth traced guest_instructions)"
row 'root instructions' "$(truth off root_instructions)" "$(truth traced root_instructions)"
row 'VM exits' "$(truth off exits)" "$(truth traced exits)"
row 'seconds, BIOS and GRUB included' "$seconds_off" "$seconds_traced"
echo
bytes=$(truth traced trace_bytes)
root=$(($(truth traced root_instructions) - $(truth off root_instructions)))
echo "trace bytes                      $bytes"
echo "trace bits per guest instruction $(ratio $((bytes * 8)) "$(truth traced guest_instructions)")"
echo "root instructions per exit       $(ratio "$(truth traced root_instructions)" "$(truth traced exits)")"
echo "root instructions per trace byte $(ratio "$root" "$bytes")   (what tracing adds, waiting for the wire included)"
echo "PMIs                             $(truth traced pmis)"
boot standard e1000 'channel=e1000'
wire() {
    ratio "$(tests/rig/wire.sh "$work/$1" bytes)" "$(truth "$1" trace_bytes)"
}
echo "wire bytes per trace byte        $(wire standard) at MTU 1500, $(wire traced) at 9000   (records and Ethernet's framing included)"
export WIRE='rate=0 latency=0'
boot packed e1000 'channel=e1000 net.compress=lz4'
unset WIRE
echo "    with net.compress=lz4        $(wire packed) at MTU 1500, for $(ratio "$(truth packed root_instructions)" "$(truth packed trace_bytes)") root instructions per trace byte"

# A thin wire that loses and reorders frames: the trace that it carries, of what it could carry and does not lose. 50 ticks are a
# microsecond.
export WIRE='rate=20 drop=10 reorder=5'
boot thin e1000 channel=e1000
unset WIRE
echo "share of a wire of 20 Mbit/s     $(ratio $(($(truth thin trace_bytes) * 8 * 50)) \
    $((($(truth thin guest_instructions) + $(truth thin root_instructions)) * 18)))   (which loses 10 % and reorders 5 %)"

# Tracing across VM entries and exits: CPUID exits, and hardly anything else.
echo
printf '%-28s %12s %12s %12s %12s\n' 'guest exits' 'pt=off' 'root' 'list' 'vmcs'
export PTMODEL=profile=icelake
boot exits-off none 'pt=off channel=none' exits
per_exit() {
    printf ' %12s' "$(ratio "$(truth "exits-$1" "$2")" "$(truth "exits-$1" exits)")"
}
for way in root list vmcs; do boot exits-$way none "channel=none code=off pt.switch=$way" exits; done
printf '%-28s' 'root instructions per exit'
for way in off root list vmcs; do per_exit $way root_instructions; done
printf '\n%-28s' 'trace bytes per exit'
for way in off root list vmcs; do per_exit $way trace_bytes; done
echo
