#!/bin/bash
# What tracing costs root mode, in each output scheme, over e1000 with standard frames: at most 2,000 instructions for
# each PMI and 0.05 for each byte. The wire answers at once, so that no instruction is one of waiting; all others count,
# those at the trace's start and end too. A single range has no PMIs: its drains count as such.
. tests/system/lib.sh

# cost SCHEME REGION PTMODEL
cost() {
    local name=$1-$2 events
    WIRE='rate=0 latency=0' PTMODEL=$3 check "$1 with regions of $2" \
        boot_guest "$name" load "channel=e1000 pt.scheme=$1 pt.region=$2"
    events=$(truth "$name" pmis)
    [ "$1" != range ] || events=$(build/undertrace info "$work/$name/capture" | awk '/handed over/ { print $(NF - 1) }')
    at_most "$1 with regions of $2 keeps to the limit of root instructions" "$(truth "$name" root_instructions)" \
        $((2000 * events + $(truth "$name" trace_bytes) / 20))
}

for region in 4K 64K 512K; do
    cost topa $region profile=skylake
    cost single $region 'profile=broadwell, vmxmisc14=1'
done
cost range 64K profile=skylake
cost range 512K profile=skylake
done_testing
