#!/bin/bash
# What sending the trace costs in each output scheme, over e1000: root instructions on the guest that writes the most
# trace, beside the limit of 1,455 for each PMI and 0.04 for each byte. Figures of the emulated CPU, which repeat exactly.
#
# The wire answers at once, so that no instruction is one of waiting. All others count: start and end of the trace, code
# pages, the timer's exits. Two region sizes separate the cost of a PMI from that of a byte. A single range has no PMIs;
# what is counted there are the drains, of an eighth of the range each.
set -eu

work=build/bench/schemes
rm -rf "$work"
mkdir -p "$work"

# boot NAME PROFILE OPTIONS: sets root, bytes, events.
boot() {
    local dir=$work/$1
    ELF=build/undertrace.elf KERNEL=build/guests/load.bzImage INITRD='' CMDLINE='' OPTIONS=$3 tests/rig/iso.sh "$dir.iso"
    ISO=$dir.iso CHANNEL=e1000 WIRE='rate=0 latency=0' PTMODEL=$2 MEMORY=256 tests/rig/boot.sh "$dir"
    root=$(tests/rig/truth.sh "$dir/truth.bin" root_instructions)
    bytes=$(tests/rig/truth.sh "$dir/truth.bin" trace_bytes)
    events=$(tests/rig/truth.sh "$dir/truth.bin" pmis)
    [ "$events" != 0 ] || events=$(build/undertrace info "$dir/capture" | awk '/handed over/ { print $(NF - 1) }')
}

# row SCHEME MTU SIZE: what boot has set.
row() {
    awk -v scheme="$1" -v mtu="$2" -v size="$3" -v root="$root" -v bytes="$bytes" -v events="$events" 'BEGIN {
        limit = 1455 * events + 0.04 * bytes
        printf "%-8s %5d %6s %10d %8d %11d %10d %8.2f\n", scheme, mtu, size, bytes, events, root, limit, root / limit
    }'
}

# fit SCHEME MTU: from the boots with large regions and with small ones.
fit() {
    awk -v scheme="$1" -v mtu="$2" -v root="$root" -v events="$events" -v bytes="$bytes" \
        -v root1="$root1" -v events1="$events1" 'BEGIN {
        event = (root - root1) / (events - events1)
        printf "%-8s %5d   root instructions: %.0f for each PMI, %.4f for each byte\n", scheme, mtu, event,
            (root - event * events) / bytes
    }'
}

echo
printf '%-8s %5s %6s %10s %8s %11s %10s %8s\n' scheme MTU region bytes PMIs 'root instr.' limit 'of it'
for mtu in 1500 9000; do
    for scheme in topa single range; do
        profile=profile=skylake
        [ "$scheme" != single ] || profile='profile=broadwell, vmxmisc14=1'
        options="channel=e1000 net.mtu=$mtu pt.scheme=$scheme"
        boot "$scheme-$mtu" "$profile" "$options"
        row "$scheme" "$mtu" 512K
        root1=$root events1=$events
        boot "$scheme-$mtu-small" "$profile" "$options pt.region=64K"
        row "$scheme" "$mtu" 64K
        fit "$scheme" "$mtu"
    done
done
