#!/bin/bash
# undertrace last: how machines end, each in another way, and that what it calls the last functions are the last of the list of
# branches.
. tests/system/lib.sh

tool=build/undertrace
names=(--files build/guests/ends.elf)
# ends WORDS: boot the guest that ends so.
ends() {
    boot "$1" build/guests/ends.bzImage '' "$1 1000" "channel=e1000 ${*:2}"
}
# last NAME FILTER
last() {
    $tool last "$work/$1/capture" "${names[@]}" --json 2>/dev/null | jq -r "$2"
}
check 'a guest powers off' ends off
ENDS=reset check 'a guest resets the machine' ends cf9
ENDS=reset check 'a guest has a triple fault' ends triple
same 'a power-off, by the function that was open' "$(last off '"\(.end) \(.function)"')" 'power-off machine_power_off'
same 'without names it is not known how' "$($tool last "$work/off/capture" --remembered ignore --json 2>/dev/null | jq -r .end)" down
same 'a reset' "$(last cf9 '"\(.end) \(.function)"')" 'reset machine_reset_cf9'
same 'a triple fault, which the log has' "$(last triple .end) $($tool last "$work/triple/capture" 2>/dev/null | grep -c 'log: .*guest triple fault on CPU 0')" 'triple-fault 1'
same 'all CPUs have ended' "$(last off .cpus_ended)$(last cf9 .cpus_ended)$(last triple .cpus_ended)" 111

# No end record: what a receiver has that is killed.
cp -r "$work/off/capture" "$work/silent"
size=$(stat -c %s "$work/silent/events.bin")
truncate -s $((size - 8)) "$work/silent/events.bin"
$tool last "$work/silent" "${names[@]}" >"$work/silent.txt" 2>/dev/null
same 'silence, and exit status 2' "$? $(grep -c '^The end: silence' "$work/silent.txt") $(grep -c '0 of 1 CPUs sent their end record' "$work/silent.txt")" '2 1 1'

# The last functions are the targets of the last branches that enter one.
nm build/guests/ends.elf | awk '$2 ~ /[tT]/ { print $1, $3 }' >"$work/symbols"
$tool decode "$work/off/capture" --branches - 2>/dev/null |
    awk 'NR == FNR { name[$1] = $2; next } $2 in name { print name[$2] }' "$work/symbols" - | tail -n 5 >"$work/wanted"
same 'the last functions are those that the last branches enter' "$(last off '.cpus[0].called_last[-5:][].symbol' | paste -sd ' ')" "$(paste -sd ' ' "$work/wanted")"
same 'the calls that did not return begin with the last of them' "$(last off '.cpus[0].frames[0].symbol')" "$(tail -n 1 "$work/wanted")"
same 'no more lines than wanted' "$($tool last "$work/off/capture" "${names[@]}" --lines 3 --json 2>/dev/null | jq '.cpus[0].called_last | length')" 3
same 'at most 100 columns, with the precision of times' \
    "$($tool last "$work/off/capture" "${names[@]}" 2>/dev/null | awk 'length > 100 { n++ } /^Times: half/ { p++ } END { print n + 0, p }')" '0 1'

# A wire that dies: the guest runs on, and no trace arrives any more.
WIRE='dead=50000-1500000' boot_guest cut load 'channel=net net.stall=1 pt.region=64K' >"$work/cut.out" 2>&1
same 'a channel that accepts nothing for net.stall= seconds' "$(last cut .end)" channel
done_testing
