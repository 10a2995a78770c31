#!/bin/bash
# The micro-guests over the emulated network card: every branch as the CPU took it, and twice the same bytes.
. tests/system/lib.sh

for guest in branches selfmod load; do
    check "$guest runs to power-off over e1000" boot_guest $guest $guest 'channel=e1000 net.mtu=9000'
    console_has "$guest finds itself in order" $guest "$guest: ok"
    exact "$guest: decoded branches equal the truth" $guest
    clean_log $guest
    build/undertrace report "$work/$guest/capture" --json "$work/$guest/report.json" >"$work/$guest/report.txt"
    same "$guest: no SMI came" "$(jq -c .blackouts "$work/$guest/report.json") $(grep -c 'blackouts (SMM)  *0$' "$work/$guest/report.txt")" '[] 1'
done

# SMIs: the report has each, with the ticks that its handler took. A round of it is two instructions, so two ticks.
check 'smi runs to power-off over e1000' boot_guest smi smi 'channel=e1000 net.mtu=9000'
exact 'smi: decoded branches equal the truth' smi
build/undertrace report "$work/smi/capture" --json "$work/smi/report.json" >"$work/smi/report.txt"
same 'as many blackouts as SMIs' "$(jq '.blackouts | length' "$work/smi/report.json")" "$(grep -ac '^smi: [0-9]' "$work/smi/console.txt")"
same 'none is shorter than its handler, nor more than 60 ticks longer' \
    "$(jq -c '[.blackouts[].ticks] as $ticks | [1000, 100000, 20, 200000, 50000] | to_entries |
        map($ticks[.key] - 2 * .value | . >= 0 and . <= 60)' "$work/smi/report.json")" '[true,true,true,true,true]'
same 'the guest was as long without time' "$(jq '.blackouts[].ticks' "$work/smi/report.json" |
    paste -d ' ' - <(grep -a '^smi: [0-9]' "$work/smi/console.txt" | tr -d '\r') | awk '{ bad += $1 > $3 || $3 - $1 > 2000 } END { print bad + 0 }')" 0
same 'all begin before the same instruction' "$(jq -c '[.blackouts[].address] | unique | length' "$work/smi/report.json")" 1
same 'the report names the longest' "$(awk '/blackouts/ { getline; print $1, $2, $3, $4 }' "$work/smi/report.txt")" \
    "the longest: $(jq -r '([.blackouts[].ticks] | max) / .tsc_khz' "$work/smi/report.json" | awk '{ printf "%.3f", $1 }') ms"
# With the other ways across VM entry a VM exit has the same packets.
check 'smi runs with pt.switch=list' boot_guest list smi 'channel=e1000 net.mtu=9000 pt.switch=list'
build/undertrace report "$work/list/capture" --json "$work/list/report.json" >"$work/list/report.txt"
same 'which does not show them, and the report says so' "$(jq -c .blackouts "$work/list/report.json") $(grep -c 'blackouts' "$work/list/report.txt")" 'null 0'

# Small regions and standard frames: the ring wraps, the sender's window fills.
check 'load runs with four regions of 64 KiB' boot_guest small load 'channel=e1000 pt.region=64K pt.regions=4'
exact 'load with small regions: decoded branches equal the truth' small

check 'branches runs once more, from a new image' boot_guest again branches 'channel=e1000 net.mtu=9000'
check 'and yields the identical trace' cmp "$work/branches/capture/cpu0.pt" "$work/again/capture/cpu0.pt"
check 'and the identical truth' cmp "$work/branches/truth.bin" "$work/again/truth.bin"
done_testing
