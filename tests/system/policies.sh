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
same 'drop: each pause has its gap record' "$(build/undertrace info "$work/drop/capture" | grep -c 'no free region')" \
    "$(end drop pauses)"
same 'drop: tracing went on between them' "$([ "$(end drop pauses)" -gt 1 ] && echo yes)" yes
check 'drop: decode goes on behind the gaps' build/undertrace decode "$work/drop/capture"
build/undertrace report "$work/drop/capture" --json "$work/drop/report.json" >/dev/null
same 'drop: how many bytes were not written, nobody knows' "$(jq -c '[.gaps, .gap_bytes]' "$work/drop/report.json")" \
    "[$(end drop pauses),null]"

WIRE='rate=10' check 'policy=stall on the same wire' boot_guest stall load "$small"
exact 'stall: decoded branches equal the truth' stall

check 'policy=ring: load runs to power-off' boot_guest ring load "$small policy=ring"
outside_gaps 'ring: what was kept equals the truth' ring
same 'ring: what was overwritten is one gap, its size known' \
    "$(build/undertrace info "$work/ring/capture" | grep -cE 'offset 0, [0-9]+ bytes, overwritten in the ring')" 1
kept=$(build/undertrace info "$work/ring/capture" | awk '/handed over/ { gsub(",", "", $3); print $3 }')
same 'ring: two regions and what came after them were kept' \
    "$([ "$kept" -ge 131072 ] && [ "$kept" -le 196608 ] && echo yes)" yes
same 'ring: the guest never waited' "$(end ring stalls) $(end ring pauses)" '0 0'

UNTIL='is parked' check 'policy=ring: a triple fault sends what was kept' boot_guest crash crash 'policy=ring'
check 'crash: what was kept decodes' build/undertrace decode "$work/crash/capture"

here=0x$(nm build/guests/panic.elf | awk '$3 == "panic_here" { print $1 }')
check 'policy=ring pt.trigger=: panic runs to power-off' \
    boot_guest panic panic "channel=e1000 net.mtu=9000 policy=ring pt.region=16K pt.regions=4 pt.trigger=$here"
console_has 'panic: the guest goes on' panic 'panic: ok'
same 'panic: the address is noticed, once' \
    "$(build/undertrace info "$work/panic/capture" | grep -c "trigger: CPU 0 comes to")" 1
outside_gaps 'panic: what led there and what came last equals the truth' panic
build/undertrace decode "$work/panic/capture" --branches "$work/panic/branches.txt" >/dev/null
same 'panic: the call is among the branches' "$(grep -c " $(printf %016x "$here")$" "$work/panic/branches.txt")" 1
done_testing
