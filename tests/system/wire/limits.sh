#!/bin/bash
# Limits of 32 bits: frame numbers, offsets of trace and records, and numbers of code records begin shortly before 2^32
# (test.first=, docs/testing.md). Every path that has one of them passes the limit, and the capture has more than 4 GiB.
. tests/system/lib.sh

# The trace begins one round of its memory before 4 GiB, records 4 KiB; frames and code have some numbers left.
region=16384
key=404142434445464748494a4b4c4d4e4f
echo $key >"$work/key"
# numbers CAPTURE: how many PAGE records (docs/wire.md) have numbers below 2^32, and how many above.
numbers() {
    python3 - "$1/events.bin" <<'END'
import struct, sys
events, at, below, above = open(sys.argv[1], "rb").read(), 0, 0, 0
while at < len(events):
    kind, _, length = struct.unpack_from("<HHI", events, at)
    number = struct.unpack_from("<Q", events, at + 24 + 32)[0] if kind == 2 else 0
    below += 0 < number < 1 << 32
    above += number >= 1 << 32
    at += 24 + (length + 7) // 8 * 8
print(below > 0, above > 0)
END
}
# passes NAME GUEST CPUS OPTIONS: boot it; each number passes its limit, and the branches are the truth's.
passes() {
    local name=$1 guest=$2 cpus=$3 options=$4 dir=$work/$1 cpu
    local trace=$(((1 << 32) - 4 * region))
    local first=$(((1 << 32) - 16)),$trace,$(((1 << 32) - 4096)),$(((1 << 32) - 2))
    export RECEIVE="$RECEIVE --test-first $first"
    CPUS=$cpus check "$name: the guest boots" boot "$name" "build/guests/$guest.bzImage" '' "cpus=$cpus" \
        "$options test.first=$first pt.region=$((region >> 10))K pt.regions=4"
    check "$name: the truth's offsets begin there, too" mv "$dir/truth.bin" "$dir/from0.bin"
    python3 tests/tools/truth_shift.py "$dir/from0.bin" $trace >"$dir/truth.bin"
    exact "$name: decoded branches equal the truth" "$name"
    for ((cpu = 0; cpu < cpus; cpu++)); do
        same "$name: CPU $cpu's trace passes 4 GiB" "$(($(stat -c %s "$dir/capture/cpu$cpu.pt") > 1 << 32))" 1
    done
    same "$name: all that is missing is what was never written" \
        "$(build/undertrace info "$dir/capture" | grep -c '^  gap: ') $(build/undertrace info "$dir/capture" |
            grep -c "^  gap: CPU [0-9]*, trace offset 0, $trace bytes, overwritten in the ring")" "$cpus $cpus"
}
RECEIVE='' WIRE='drop=3 reorder=3 seed=9' passes lossy load 1 'channel=net'
RECEIVE="--key $work/key" passes keyed smp 2 "channel=net net.mtu=9000 key=$key"
same 'records of code have numbers below and above the limit' "$(numbers "$work/keyed/capture")" 'True True'
RECEIVE='' CHANNEL=uart IPS=4000000 passes line branches 1 'channel=uart'
region=65536 # in less the output of range wraps before it is read
for scheme in single range; do
    RECEIVE='' passes $scheme load 1 "channel=net net.mtu=9000 pt.scheme=$scheme"
done
done_testing
