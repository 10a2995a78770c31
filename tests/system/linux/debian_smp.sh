#!/bin/bash
# Debian's kernel on two CPUs: each CPU is brought up by the guest, runs, and is traced to the last branch.
. tests/system/lib.sh

export CPUS=2
check 'Debian boots to power-off on two CPUs, traced over e1000' \
    boot debian build/guest/moved build/guest/initrd "$CMDLINE $short_boot" 'channel=e1000 net.mtu=9000'
console_has 'its workload is done' debian 'init: done'
check 'the trace is decoded and reported' build/undertrace report "$work/debian/capture" --truth "$work/debian/truth.bin" \
    --json "$work/debian/report.json"
same 'the guest has started both: the second takes branches, too' "$([ "$(truth debian branches 1)" -gt 1000000 ] && echo yes)" yes
value() {
    jq -r "$1" "$work/debian/report.json"
}
same 'no gap' "$(value .gaps)" 0
for cpu in 0 1; do
    same "CPU $cpu: each byte that it wrote was received" "$(stat -c %s "$work/debian/capture/cpu$cpu.pt")" \
        "$(tests/rig/truth.sh "$work/debian/truth.bin" trace_bytes $cpu)"
    branches=$(tests/rig/truth.sh "$work/debian/truth.bin" branches $cpu)
    same "CPU $cpu: all branches match" "$(value ".per_cpu[$cpu].truth.matched // .per_cpu[$cpu].matched")" "$branches"
done
clean_log debian

# What a second CPU costs in exits but for the changes of code pages is the guest's: its local APIC, its interrupts.
exits=$(value '.vm_exits.exits // ([.vm_exits[]] | add)')
timer=$(value '.vm_exits.preemption_timer_expired // 0')
at_most 'the preemption timer makes less than half of the exits' $((2 * timer)) "$exits"
done_testing
