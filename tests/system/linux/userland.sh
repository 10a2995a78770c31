#!/bin/bash
# An ordinary user space, traced from the kernel's first instruction to power-off: what each program executed, in its own
# address space, is what was decoded.
. tests/system/lib.sh

# The wire answers at once, so that root's instructions are none of waiting.
WIRE='rate=0 latency=0' MEMORY=512 check 'userland boots to power-off, traced over e1000' \
    boot userland build/guest/moved build/guest/userland "$CMDLINE" 'channel=e1000 net.mtu=9000'
for line in 'short programs, sum' 'perl, ' 'awk, ' 'grep -P, ' 'fixed 1, ' 'fixed 2, ' 'populated, ' 'populated all, ' '40 forks' 'done, powering off'; do
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
# Of these, some 90 are the CRCs of frames, and up to 7 are flushes (pt.flush=).
at_most 'root instructions in 1/10,000 of the guest'"'"'s' \
    $(($(truth userland root_instructions) * 10000 / $(truth userland guest_instructions))) 325

# Where it cannot be known which page an address led to, the decoder stops until the next PSB: an error, and a difference.
exact 'every branch is what was decoded' userland
same 'and every interval' "$(jq -c '[.intervals - .equal_intervals, .decode_errors]' "$work/userland/verify.json")" '[0,0]'
same 'the truth counts as many branches as the emulator' "$(jq .branches "$work/userland/verify.json")" "$(truth userland branches)"

# Stacks: who ends, or executes a program, does so in another space than it began in, and is the same task.
build/undertrace export "$work/userland/capture" --format folded -o "$work/userland.folded" --kernel build/guest/vmlinuz 2>"$work/folded.log"
same 'no task of the kernel begins in the midst of an exit or an exec' \
    "$(grep -c ';do_exit;' "$work/userland.folded" | awk '{ print ($1 > 0) }') $(grep -cE '^kernel tasks;(exit_mmap|unmap_vmas|do_exit|load_elf_binary|begin_new_exec)[; ]' "$work/userland.folded")" '1 0'
done_testing
