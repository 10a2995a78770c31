#!/bin/bash
# The commands of docs/tutorial.md, for a boot of Debian's kernel: each succeeds and prints something, and the report has the
# functions that every such boot executes.
. tests/system/lib.sh

check 'Debian boots to power-off' \
    boot debian build/guest/vmlinuz build/guest/initrd "$CMDLINE" 'channel=e1000 net.mtu=9000'
# As `make run` does: the capture remembers the files.
build/undertrace report "$work/debian/capture" --kernel build/guest/vmlinuz --files /usr/bin/busybox \
    --json "$work/report.json" >"$work/report.txt"
check 'the commands of the tutorial succeed' tests/rig/tutorial.sh check "$work/debian/capture" "$work"
function_calls() {
    jq ".profile.functions | map(select(.symbol == \"$1\")) | map(.calls) | add" "$work/report.json"
}
for function in start_kernel kernel_init kernel_power_off; do
    same "$function was called once" "$(function_calls $function)" 1
done
same 'there are six phases' "$(jq '.profile.phases | length' "$work/report.json")" 6
same 'each branch belongs to one function' "$(jq '[.profile.functions[].branches] | add' "$work/report.json")" \
    "$(jq .branches "$work/report.json")"
same 'no line of the report is longer than 100 columns' "$(awk 'length > 100' "$work/report.txt" | wc -l)" 0
same 'all processes are busybox' "$(jq -r '[.profile.processes[] | select(.cr3) | .program] | unique | join(" ")' "$work/report.json")" busybox
done_testing
