#!/bin/bash
# An ordinary user space, traced from the kernel's first instruction to power-off: what each program executed, in its own
# address space, is what was decoded.
. tests/system/lib.sh

MEMORY=512 check 'userland boots to power-off, traced over e1000' \
    boot userland build/guest/vmlinuz build/guest/userland "$CMDLINE" 'channel=e1000 net.mtu=9000'
for line in 'short programs, sum' 'perl, ' 'awk, ' 'grep -P, ' 'fixed 1, ' 'fixed 2, ' '40 forks' 'done, powering off'; do
    console_has "its console has: $line" userland "userland: $line"
done
# The same lines, sorted, packed, unpacked and summed three times at once: not the sum of nothing.
same 'three pipes at once yield one sum' \
    "$(tr -d '\r' <"$work/userland/console.txt" | awk '/^userland: at once, / { print $4 == $5 && $5 == $6 && $4 != "d41d8cd9" }')" 1

same 'no gap' "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/userland/capture/meta.json")" 0
same 'no overflow' "$(truth userland overflows)" 0
same 'each byte that the CPU wrote was received' \
    "$(stat -c %s "$work/userland/capture/cpu0.pt")" "$(truth userland trace_bytes)"
clean_log userland
at_most 'root instructions in thousandths of the guest'"'"'s' \
    $(($(truth userland root_instructions) * 1000 / $(truth userland guest_instructions))) 10

build/undertrace verify "$work/userland/capture" "$work/userland/truth.bin" --json "$work/userland/verify.json" \
    >"$work/userland/verify.log" 2>&1
value() {
    jq "$1" "$work/userland/verify.json"
}
# Where it cannot be known which page an address led to, the decoder stops until the next PSB, and says so. Nothing else differs.
same 'each interval that differs has its error, which names what is not known' \
    "$(grep -c 'offset [0-9]*, at 0x[0-9a-f]* of CR3 0x[0-9a-f]*: no memory mapped' "$work/userland/verify.log")" \
    "$(value '.intervals - .equal_intervals')"
same 'and there is no other error' "$(value .decode_errors)" "$(value '.intervals - .equal_intervals')"
same 'the truth counts as many branches as the emulator' "$(value .branches)" "$(truth userland branches)"
at_most "$(value '.matched * 100000 / .branches | floor / 1000') % of $(value .branches) branches match; in 1/10000 that do not" \
    "$(value '10000 - (.matched * 10000 / .branches | floor)')" 10
done_testing
