#!/bin/bash
# A wire that dies: the guest waits for net.stall= seconds of emulated time, then runs on untraced to its end. What arrives is complete up
# to a place that a gap record names, where the wire comes back.
. tests/system/lib.sh

# The wire is dead long before the end: there is no end record to wait for.
export MEMORY=256

# dies NAME OK COMMAND...: the guest ends, although the receiver never has the end record.
dies() {
    local name=$1 text=$2
    shift 2
    END_TENTHS=10 "$@" >"$work/$name.out" 2>&1
    [ $? = 3 ] && grep -q "$text" "$work/$name/console.txt" || { cat "$work/$name.out"; tail -n 5 "$work/$name/console.txt"; return 1; }
}

# cuts NAME FILTER: of its gap records of cause CUT.
cuts() {
    build/undertrace info "$work/$1/capture" --json | jq -c "[.gaps[] | select(.cause == \"cut\")] | $2"
}

WIRE='dead=50000-' check 'policy=stall, dead for good: the guest comes to its end' \
    dies stall 'load: ok' boot_guest stall load 'channel=net net.stall=1 pt.region=64K'
WIRE='dead=50000-' check 'policy=drop: the same' \
    dies drop 'load: ok' boot_guest drop load 'channel=net net.stall=1 pt.region=64K policy=drop'
# Code that changes without end: under policy=drop it is for room for its pages that root waits.
CPUS=2 WIRE='dead=50000-' check 'two CPUs that wait for room for records: the same' \
    dies records 'smp: ok' boot records build/guests/smp.bzImage '' 'cpus=2 rounds=50000' 'channel=net net.stall=1 policy=drop'

# A wire that delivers less than 32 KiB a second is as good as dead.
WIRE='rate=1 drop=90' check 'a trickle is no progress: the guest comes to its end' \
    dies trickle 'load: ok' boot_guest trickle load 'channel=net net.stall=2 pt.region=64K'

# It comes back while the guest still runs, or goes down.
WIRE='dead=50000-1500000' boot_guest back load 'channel=net net.stall=1 pt.region=64K' >"$work/back.out" 2>&1
console_has 'a wire that comes back too late: the guest comes to its end' back 'load: ok'
same 'the receiver has the end' "$(build/undertrace info "$work/back/capture" --json | jq .ended)" true
same 'and says that its first part was not traced' \
    "$(grep -c "tracing ended before the guest: the channel accepted nothing for net.stall= or uart.stall= seconds" "$work/back/receive.log")" 1
same 'from the last byte on that arrived' "$(cuts back '.[0] | .at')" \
    "$(build/undertrace info "$work/back/capture" --json | jq '.streams[0].trace_bytes')"
same 'up to the end' "$(cuts back 'map(.bytes) | add + 0')" \
    "$(build/undertrace info "$work/back/capture" --json | jq '.streams[0] | .end.trace_bytes - .trace_bytes')"
same 'and nothing else is missing' "$(build/undertrace info "$work/back/capture" --json | jq '[.gaps[] | select(.cause != "cut")] | length')" 0
build/undertrace verify "$work/back/capture" "$work/back/truth.bin" --json "$work/back/verify.json" >"$work/back/verify.log" 2>&1
same 'what was decoded before is what was executed' \
    "$(jq '.matched > 0 and .matched + .branches_in_gaps == .branches' "$work/back/verify.json")" true

WIRE='dead=50000-400000' check 'a wire that comes back in time' boot_guest intime load 'channel=net net.stall=1 pt.region=64K'
exact 'nothing is lost' intime
WIRE='dead=50000-1500000' check 'net.stall=0 waits for ever' boot_guest forever load 'channel=net net.stall=0 pt.region=64K'
exact 'nothing is lost there either' forever
done_testing
