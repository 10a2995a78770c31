#!/bin/bash
# What tracing costs root mode, in each output scheme, over e1000 with standard frames: at most 1,510 instructions for
# each PMI, 0.218 for each byte, of which the CRC of each frame is 0.17, and 6,000 for the start of the wire. It begins with few frames between two requests for
# an acknowledgement (serial/wire/pace.h), in runs of 240 instructions. When the wire has shown that it can carry more is
# a matter of which exit finds the answer: 20 runs more or less. The wire answers at once, so that no instruction is one
# of waiting; all others count, those at the trace's start and end too. With frames of 9000 bytes 0.182 for each byte. A
# single range has no PMIs: its drains count as such, and 0.219 for each byte, as the timer's exits are among them.
# Regions of 4 KiB ask for an acknowledgement at every second PMI, and have short frames: 2,048, two of which are for pt.flush= and six for net.compress=.
. tests/system/lib.sh

# cost SCHEME REGION PTMODEL INSTRUCTIONS MILLI [MTU]: for each PMI, and thousandths for each byte
cost() {
    local name=$1-$2${6:+-$6} events
    WIRE='rate=0 latency=0' PTMODEL=$3 check "$1 with regions of $2${6:+, frames of $6}" \
        boot_guest "$name" load "channel=e1000 pt.scheme=$1 pt.region=$2 net.mtu=${6:-1500}"
    events=$(truth "$name" pmis)
    [ "$1" != range ] || events=$(build/undertrace info "$work/$name/capture" | awk '/handed over/ { print $(NF - 1) }')
    at_most "$1 with regions of $2${6:+, frames of $6,} keeps to the limit of root instructions" "$(truth "$name" root_instructions)" \
        $(($4 * events + $5 * $(truth "$name" trace_bytes) / 1000 + 6000))
    # A tick is an instruction there, but for REP's iterations; the way in and out and what is not an exit are not timed.
    build/undertrace report "$work/$name/capture" --json "$work/$name/report.json" >"$work/$name/report.txt"
    within "$1 with regions of $2${6:+, frames of $6}: exits' TSC ticks are the emulator's root instructions" \
        "$(jq '[.vm_exit_ticks[]] | add' "$work/$name/report.json")" \
        "$(truth "$name" root_instructions)"
}

# within NAME TICKS INSTRUCTIONS: to a twentieth
within() {
    if [ $((100 * $2 / $3)) -ge 95 ] && [ $((100 * $2 / $3)) -le 105 ]; then pass "$1 ($2 of $3)"; else fail "$1" "$2 of $3"; fi
}

for region in 4K 64K 512K; do
    pmi=1510
    [ $region != 4K ] || pmi=2048
    cost topa $region profile=skylake $pmi 218
    cost single $region 'profile=broadwell, vmxmisc14=1' $pmi 218
done
cost topa 512K profile=skylake 1510 182 9000
cost range 64K profile=skylake 1510 219
cost range 512K profile=skylake 1510 219

# Compression, for thin links: that many thousandths for each byte, all else included.
WIRE='rate=0 latency=0' check 'compressed frames' boot_guest packed load 'channel=net net.compress=lz4'
at_most 'LZ4 costs at most so many thousandths of a root instruction for each byte' \
    $((1000 * $(truth packed root_instructions) / $(truth packed trace_bytes))) 12500
done_testing
