#!/bin/bash
# `undertrace dump` against two decoders that others wrote: libipt's, and perf's through a minimal perf.data file.
#
# usage: dump_agrees.sh [CAPTURE]      without one, a micro-guest is booted
. tests/system/lib.sh

capture=${1:-$work/load/capture}
if [ $# -eq 0 ]; then
    check 'load runs to power-off' boot_guest load load 'channel=e1000 net.mtu=9000'
fi
trace=$capture/cpu0.pt
psbs=$(build/undertrace dump "$capture" --no-pad | awk '$2 == "psb" { print $1 }')
same 'the trace has several PSBs' "$([ "$(wc -l <<<"$psbs")" -gt 3 ] && echo yes)" yes

# agree NAME FROM TO: the packets of these bytes, which begin with a PSB.
agree() {
    local name=$1 from=$2 to=$3 lines
    build/undertrace dump "$capture" --offset "$from-$to" >"$work/dump"
    lines=$(wc -l <"$work/dump")
    build/tools/ptdump_ref "$trace" "$from" "$to" >"$work/ptdump"
    check "$name: libipt sees the same $lines packets" diff -q "$work/dump" "$work/ptdump"

    check "$name: perf.data is written" build/tools/perfdata_wrap "$trace" "$from" "$to" "$work/perf.data"
    perf script -D -i "$work/perf.data" 2>"$work/perf.log" |
        sed -n 's/^\.  \([0-9a-f]\{8\}\):  .\{48\}\(.*\)$/\1: \2/p' | sed 's/ *$//; / PAD$/d' >"$work/perf"
    build/tools/dump_to_perf "$from" <"$work/dump" >"$work/words"
    check "$name: perf sees the same $(wc -l <"$work/words") packets" diff -q "$work/words" "$work/perf"
}

# About a region from the start, one from the middle, and the rest from the last but one PSB on.
offset() { echo $((0x$(sed -n "$1p" <<<"$psbs"))); }
count=$(wc -l <<<"$psbs")
last=$(stat -c %s "$trace")
stop=$(offset "$((count < 32 ? count : 32))")
agree 'the first region' "$(offset 1)" "$stop"
agree 'the middle' "$(offset $((count / 2)))" "$(offset $((count / 2 + 1)))"
agree 'the end' "$(offset $((count - 1)))" "$last"
done_testing
