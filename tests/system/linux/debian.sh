#!/bin/bash
# The main job: Debian's kernel, traced over e1000 from its first instruction to power-off.
. tests/system/lib.sh

check 'Debian boots to power-off, traced over e1000' \
    boot debian build/guest/vmlinuz build/guest/initrd "$CMDLINE" 'channel=e1000 net.mtu=9000'
console_has 'its workload is done' debian 'init: done'
at_most 'bytes of the wire for 1000 of trace, records and framing included' "$(wire_share debian)" 1090

console_has "the guest reserves the card's registers" debian 'mem 0x00000000c0000000-0x00000000c001ffff] reserved'

capture=$work/debian/capture
check 'the trace is decoded and reported' build/undertrace report "$capture" --truth "$work/debian/truth.bin" \
    --json "$work/debian/report.json"
keys=guest,cpus,result,trace_bytes,regions,pmis,overflows,gaps,gap_bytes,packets,code_pages,mappings,inferred
keys=$keys,instructions,branches,decode_errors,decode_gaps,truth,vm_exits,vm_exit_ticks,blackouts,tsc_khz,guest_instructions,root_instructions
keys=$keys,stall_instructions,image_bytes,seconds,per_cpu,timeline
same 'summary.json has its keys' "$(jq -r 'keys_unsorted | join(",")' "$work/debian/report.json")" "$keys"
value() {
    jq -r "$1" "$work/debian/report.json"
}
same 'no gap' "$(value .gaps)" 0
same 'no overflow' "$(truth debian overflows) $(value .overflows)" '0 0'
same 'each byte that the CPU wrote was received' "$(stat -c %s "$capture/cpu0.pt")" "$(truth debian trace_bytes)"
same 'and the end record counts as many' "$(value .trace_bytes)" "$(truth debian trace_bytes)"
clean_log debian

branches=$(value .truth.branches)
matched=$(value .truth.matched)
same 'the truth counts as many branches as the emulator' "$branches" "$(truth debian branches)"
if [ "$matched" = "$branches" ] && [ "$branches" -gt 0 ] 2>/dev/null; then
    pass "all branches match ($matched)"
else
    fail 'all branches match' "$matched of $branches; first divergence: $(value .truth.first_divergence)"
fi

# The kernel unpacked and moved itself; names.sh has one for which that was done before.
build/undertrace names "$capture" --kernel build/guest/vmlinuz >"$work/names"
same 'names: the kernel is found where it went' "$(sed -n 's/^# kernel: .* moved by 0x[1-9a-f][0-9a-f]*: \([0-9]*\) of \1 pages agree$/yes/p' "$work/names")" yes
same 'names: what unpacked it, and its first function' "$(awk '$NF == "bzImage" { loader = 1 } $5 == "start_kernel" { print loader, $6 }' "$work/names")" '1 vmlinux'

# Root instructions without those spent waiting for the wire, against the guest's.
stall=$(value '.stall_instructions // 0')
at_most 'root instructions, stalls left out, in thousandths of the guest'"'"'s' \
    $((($(truth debian root_instructions) - stall) * 1000 / $(truth debian guest_instructions))) 10
done_testing
