#!/bin/bash
# The loss policies on a slow wire: what is missing is recorded, all else equals the truth.
. tests/system/lib.sh

# outside_gaps NAME BOOT: verify compares what no gap touches; that much of it must be there.
outside_gaps() {
    local name=$1 dir=$work/$2
    if ! build/undertrace verify "$dir/capture" "$dir/truth.bin" --json "$dir/verify.json" >"$dir/verify.log" 2>&1; then
        fail "$name" "$(tail -n 8 "$dir/verify.log")"
    elif jq -e '.matched > 0 and .matched + .branches_in_gaps == .branches and .in_gaps > 0' "$dir/verify.json" >/dev/null; then
        pass "$name ($(jq -r '"\(.matched) compared, \(.branches_in_gaps) in gaps"' "$dir/verify.json"))"
    else
        fail "$name" "$(cat "$dir/verify.json")"
    fi
}
end() {
    jq -r ".end.$2" "$work/$1/capture/meta.json"
}
small='channel=e1000 net.mtu=9000 pt.region=64K pt.regions=4'

WIRE='rate=10' check 'policy=drop on a slow wire: load runs to power-off' boot_guest drop load "$small policy=drop"
outside_gaps 'drop: outside the gaps all equals the truth' drop
same 'drop: the guest never waited' "$(end drop stalls)" 0
same 'drop: each pause has its gap record' "$(gaps drop '.cause == "drop"')" "$(end drop pauses)"
same 'drop: tracing went on between them' "$([ "$(end drop pauses)" -gt 1 ] && echo yes)" yes
same 'drop: the receiver does not call that complete' \
    "$(grep -c "ended; the trace has $(end drop gaps) gaps" "$work/drop/receive.log") $(grep -c complete "$work/drop/receive.log")" '1 0'
build/undertrace decode "$work/drop/capture" >"$work/drop/decode.txt" 2>&1
same 'drop: decode continues after the gaps, and says that there are some' \
    "$? $(grep -c 'incomplete: the trace has gaps' "$work/drop/decode.txt")" '2 1'
build/undertrace report "$work/drop/capture" --json "$work/drop/report.json" >/dev/null 2>&1
same 'drop: how many bytes were not written is unknown' "$(jq -c '[.gaps, .gap_bytes]' "$work/drop/report.json")" \
    "[$(end drop pauses),null]"

WIRE='rate=10' check 'policy=stall on the same wire' boot_guest stall load "$small"
exact 'stall: decoded branches equal the truth' stall

# kept BOOT: the bytes that arrived.
kept() {
    info "$1" '.streams[0].handed_over'
}
# between NAME IS LEAST MOST
between() {
    if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] 2>/dev/null; then pass "$1 ($2)"; else fail "$1" "is $2, not $3 to $4"; fi
}
forgotten='.at == 0 and .bytes > 0 and .cause == "ring"'

# Power-off, in each scheme. When a single region was armed, it is half full or more when the next one is armed.
ring='channel=e1000 net.mtu=9000 policy=ring'
for case in topa:131072:196608 single:98304:262144 range:262144:262144; do
    IFS=: read -r scheme least most <<<"$case"
    check "policy=ring pt.scheme=$scheme: load runs to power-off" \
        boot_guest ring-$scheme load "$ring pt.region=64K pt.regions=4 pt.scheme=$scheme"
    outside_gaps "ring, $scheme: what was kept equals the truth" ring-$scheme
    same "ring, $scheme: what was overwritten is one gap, its size known" "$(gaps ring-$scheme "$forgotten")" 1
    between "ring, $scheme: bytes that were kept" "$(kept ring-$scheme)" "$least" "$most"
    same "ring, $scheme: the guest never waited" "$(end ring-$scheme stalls) $(end ring-$scheme pauses)" '0 0'
    same "ring, $scheme: nothing else is missing" "$(end ring-$scheme gaps)" 1
done

# A range much smaller than what is written between two exits goes round unseen: what it holds is good all the same.
check 'policy=ring, a range of 16 KiB: load runs to power-off' \
    boot_guest ring-small load "$ring pt.region=4K pt.regions=4 pt.scheme=range"
outside_gaps 'ring, a small range: what was kept equals the truth' ring-small
between 'ring, a small range: bytes that were kept' "$(kept ring-small)" 14336 16384
same 'ring, a small range: that the count was lost is reported' \
    "$([ "$(gaps ring-small '.cause == "overrun"')" -gt 0 ] && echo yes)" yes

# A command: what was kept then, and what was kept at the end.
for scheme in topa single range; do
    WIRE='at=200000:snapshot' check "policy=ring pt.scheme=$scheme: load runs to power-off, with a snapshot on its way" \
        boot_guest snapshot-$scheme load "$ring pt.region=64K pt.regions=4 pt.scheme=$scheme"
    outside_gaps "snapshot, $scheme: what was kept equals the truth" snapshot-$scheme
    same "snapshot, $scheme: bytes before it and after it were forgotten" \
        "$(gaps snapshot-$scheme '.cause == "ring"')" 2
done

# The guest's ends. ends_here is called long before; 200,000 rounds follow, some 50 KiB.
ring="$ring pt.region=16K pt.regions=4"
for way in cf9 keyboard triple; do
    for scheme in topa range; do
        ENDS=reset check "policy=ring pt.scheme=$scheme: ends, by $way" \
            boot ends-$way-$scheme build/guests/ends.bzImage '' $way "$ring pt.scheme=$scheme"
        outside_gaps "ends by $way, $scheme: what was kept equals the truth" ends-$way-$scheme
        between "ends by $way, $scheme: bytes that were kept" "$(kept ends-$way-$scheme)" 32768 65536
        same "ends by $way, $scheme: up to the end" "$(end ends-$way-$scheme trace_bytes)" \
            "$(truth ends-$way-$scheme trace_bytes)"
    done
done

here=0x$(nm build/guests/ends.elf | awk '$3 == "ends_here" { print $1 }')
for scheme in topa single range; do
    check "policy=ring pt.scheme=$scheme pt.trigger=: ends runs to power-off" \
        boot_guest trigger-$scheme ends "$ring pt.scheme=$scheme pt.trigger=$here"
    console_has "trigger, $scheme: the guest continues" trigger-$scheme 'ends: now'
    same "trigger, $scheme: the address is noticed, once" \
        "$(info trigger-$scheme '[.log[] | select(startswith("trigger: CPU 0 reaches"))] | length')" 1
    outside_gaps "trigger, $scheme: what led there and what came last equals the truth" trigger-$scheme
    build/undertrace decode "$work/trigger-$scheme/capture" --branches "$work/trigger-$scheme/branches.txt" \
        >/dev/null 2>&1
    same "trigger, $scheme: the call is among the branches" \
        "$(grep -c " $(printf %016x "$here")$" "$work/trigger-$scheme/branches.txt")" 1
done
done_testing
