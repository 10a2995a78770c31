#!/bin/bash
# perf.data as Linux's own intel_pt driver and perf make it: recorded in the guest, without the hypervisor, of two CPUs at once, with
# programs at one address that come and go. What `undertrace decode --perf` reads of each CPU is compared with perf's own decoder.
. tests/system/lib.sh

tool=build/undertrace
program() {
    gcc -std=c11 "$1" -g -static -nostdlib -fno-stack-protector -fcf-protection=none -fno-builtin \
        -o "$work/$2" tests/rig/perf/workload.c
}
check 'a program' program -O1 workload
check 'and another at its address' program -O2 workload2
check 'an initrd with perf' tests/rig/perf/initrd.sh "$work/workload" "$work/root" "$work/initrd" "$work/workload2"

# The vDSO's code is in no file.
wide_boot() {
    ELF='' KERNEL=build/guest/vmlinuz INITRD=$work/initrd CMDLINE="$CMDLINE nmi_watchdog=0 vdso=0 perf=wide" OPTIONS='' \
        tests/rig/iso.sh "$work/wide.iso" &&
        ISO=$work/wide.iso CPUS=2 CHANNEL=none PTMODEL='profile=skylake, pmu=4' tests/rig/boot.sh "$work/wide"
}
check 'Debian boots bare with two CPUs to power-off' wide_boot
console_has 'perf records both' wide 'perf: wide.data: 288 lines'
