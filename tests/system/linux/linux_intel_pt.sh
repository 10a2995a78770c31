#!/bin/bash
# Linux as the model's client, without the hypervisor: Debian's kernel binds its own intel_pt driver, perf records a
# program in the guest, with PMIs through the driver, and perf decodes what it recorded, here and in the guest.
. tests/system/lib.sh

check 'the program that perf traces compiles' \
    gcc -std=c11 -O1 -g -static -nostdlib -fno-stack-protector -fcf-protection=none -fno-builtin \
    -o "$work/workload" tests/rig/perf/workload.c
check 'an initrd with perf' tests/rig/perf/initrd.sh "$work/workload" "$work/root" "$work/initrd"

bare_boot() {
    ELF='' KERNEL=build/guest/unpacked INITRD=$work/initrd CMDLINE="$CMDLINE ${short_boot#quiet } nmi_watchdog=0" OPTIONS='' \
        tests/rig/iso.sh "$work/bare.iso" &&
        ISO=$work/bare.iso CHANNEL=none PTMODEL='profile=skylake, pmu=4' tests/rig/boot.sh "$work/bare"
}
check 'Debian boots bare to power-off' bare_boot
console_has "it finds the processor's performance monitoring" bare 'Performance Events: Skylake events'
console_has 'its own intel_pt driver takes the processor' bare 'perf: driver intel_pt, format branch cyc'
console_has 'perf records user code' bare 'perf: user.data: 24 lines'
console_has 'and user and kernel code' bare 'perf: kernel.data: 24 lines'
console_has 'which perf decodes in the guest without errors' bare 'perf: kernel.data: 0 lines of errors'

# What perf woke up for is the driver's wakeups, which its PMI handler makes.
at_least() {
    if [ "$2" -ge "$3" ] 2>/dev/null; then pass "$1 ($2)"; else fail "$1" "is $2, at least $3 are expected"; fi
}
console_number() {
    tr -d '\r' <"$work/bare/console.txt" | sed -n "s/^perf: $1.*/\\1/p" | tail -n 1
}
at_least 'PMIs wake perf' "$(console_number 'user.data: .*Woken up \([0-9]*\) times')" 4
at_least 'ToPA PMIs that the processor signalled' "$(truth bare pmis)" 4
at_least 'hundreds of instructions of the kernel' "$(console_number 'kernel.data: .*, \([0-9]*\) of the kernel')" 1000

data=$work/bare/uart.bin
perf_script() {
    perf script -i "$data" --symfs "$work/root" "$@" 2>&1
}
same 'perf script decodes the user code here without errors' "$(perf_script --itrace=e)" ''
perf_script --itrace=b -F ip,sym,addr >"$work/branches.txt"
at_least 'branches in it' "$(wc -l <"$work/branches.txt")" 200000
check 'among them those of the deep recursion' grep -q depth_sum "$work/branches.txt"

# Each of the 24 rounds prints once: one WRITE each, which leaves the traced user code and comes back.
same 'system calls in it' "$(perf_script --itrace=b -F ip,sym,flags | grep -c 'syscall')" 25
done_testing
