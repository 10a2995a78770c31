#!/bin/bash
# Loops of direct jumps, which go round until an interrupt: how often is in no packet. The decoder reports that for each
# interrupt there, and all else it decodes is what was executed.
. tests/system/lib.sh

BRANCHES=1 check 'rounds runs to power-off' boot_guest rounds rounds 'channel=e1000 net.mtu=9000'
console_has 'each loop was left at its fifth interrupt' rounds 'rounds: ticks 15'
symbol() {
    nm build/guests/rounds.elf | awk -v name="$1" '$3 == name { print $1 }'
}
first=$(symbol rounds_first) last=$(symbol rounds_last)

status=0
build/undertrace decode "$work/rounds/capture" --branches "$work/decoded" >"$work/decode.log" 2>"$work/decode.err" || status=$?
same 'decode ends with 2' "$status" 2
check 'and says why, and where' grep -qE "at $(printf %#x $((16#$first))): a loop without packets: the number of iterations is unknown" "$work/decode.err"

# Five interrupts hit the first loop, and five the second one. The third halts: where the first interrupt comes it has gone round once,
# after the others, whose IRET returns after the HLT, that is unknown.
same 'each interrupt in a loop counts' "$(awk '$1 == "decode" { print $3 }' "$work/decode.log")" '14,'
build/undertrace report "$work/rounds/capture" --json "$work/summary.json" >"$work/report.txt" 2>"$work/report.err"
same 'so in the report' "$(jq .decode_errors "$work/summary.json")" 14

# outside: without the branches within loops.
outside() {
    awk -v first="$first" -v last="$last" '$1 < first || $1 >= last || $2 < first || $2 >= last'
}
od -An -v -t x8 -w16 "$work/rounds/branches.bin" | awk '{ print $1, $2 }' >"$work/taken"
check 'many rounds were made' test "$(wc -l <"$work/taken")" -gt $(($(wc -l <"$work/decoded") + 1000))
same 'all other branches are what was executed, one by one' "$(outside <"$work/decoded" | cksum)" "$(outside <"$work/taken" | cksum)"

build/undertrace verify "$work/rounds/capture" "$work/rounds/truth.bin" >"$work/verify.log"
check 'verify names the loop where counts differ' grep -q 'a loop without packets' "$work/verify.log"
done_testing
